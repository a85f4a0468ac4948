import { authFetch, type AuthEvent } from '@svc/auth-hooks'
import { expect, test } from 'vitest'
import { recordingScheme, rejects401 } from '../../support/schemes.ts'
import { redirectTo, serve } from '../../support/server.ts'

test.each([
  ['its own origin', 301, '/there'],
  ['another covered origin', 302, 'http://127.0.0.2:1/there'],
  ['an origin that is not covered', 307, 'https://elsewhere.example/'],
  ['no URL', 308, 'javascript:alert(1)'],
])('a redirect to %s is an ERR_AUTH_REDIRECT, and nothing is sent there', async (_, status, to) => {
  const server = await serve((_request, response) => redirectTo(response, status, to))
  const events: AuthEvent[] = []
  const scheme = recordingScheme([server.origin, 'http://127.0.0.2:1'])
  const send = authFetch(scheme, { redirect: 'follow', onEvent: (event) => events.push(event) })
  await expect(send(`${server.origin}/here?secret`)).rejects.toMatchObject({
    code: 'ERR_AUTH_REDIRECT',
    status,
    message: `[@svc/auth-hooks] ${server.origin}/here responded with a redirect, which a page cannot follow; request its target`,
  })
  expect(server.arrived).toHaveLength(1)
  expect(events).toEqual([
    { type: 'redirect.refused', scheme: 'recording', status, from: server.origin },
  ])
})

test('a redirect that a browser hides is an ERR_AUTH_REDIRECT', async () => {
  const hidden = Object.defineProperty(new Response(null), 'type', { value: 'opaqueredirect' })
  const send = authFetch(recordingScheme(['https://h.example']), { fetch: async () => hidden })
  await expect(send('https://h.example/')).rejects.toMatchObject({ code: 'ERR_AUTH_REDIRECT' })
})

test('a redirect is the caller’s in the mode manual, and so is one without a location', async () => {
  const server = await serve(({ path }, response) => {
    if (path === '/nowhere') response.writeHead(302).end('nowhere')
    else redirectTo(response, 302, '/there')
  })
  const send = authFetch(recordingScheme([server.origin]))
  const manual = await send(`${server.origin}/here`, { redirect: 'manual' })
  expect(manual.headers.get('location')).toBe('/there')
  expect(await (await send(`${server.origin}/nowhere`)).text()).toBe('nowhere')
})

test('a rejected request is authorized once more', async () => {
  const server = await serve(({ count }, response) => {
    response.writeHead(count === 1 ? 401 : 200).end()
  })
  const scheme = recordingScheme([server.origin], () => ({ review: rejects401 }))
  const response = await authFetch(scheme)(server.origin, { method: 'PUT', body: 'text' })
  expect(response.status).toBe(200)
  expect(scheme.seen.map(({ previous }) => previous?.status)).toEqual([undefined, 401])
})
