import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { authGot } from '@svc/auth-hooks/got'
import type { AuthEvent } from '@svc/types'
import { describe, expect, test } from 'vitest'
import { credential, recordingScheme } from '../support/schemes.ts'
import { type RecordingServer, redirectTo, serve } from '../support/server.ts'
import { type CommonGot, failure, majors, retry } from './majors.ts'

type Hook = { headers: Record<string, string | undefined>; url: URL }

/** A server that redirects to a place, and responds anywhere else. */
function redirecting(status: number, target: () => string): Promise<RecordingServer> {
  return serve((request, response) => {
    if (request.path.startsWith('/start')) redirectTo(response, status, target())
    else response.end('end')
  })
}

describe.each(majors)('authGot with %s', (name, client: CommonGot) => {
  test('authorizes each hop within the covered origins for its own URL and method', async () => {
    const other = await serve((_, response) => response.end('end'))
    const server = await redirecting(302, () => `${other.origin}/end?x=1`)
    const events: AuthEvent[] = []
    const scheme = recordingScheme([server.origin, other.origin])
    const options = { onEvent: (event: AuthEvent) => void events.push(event) }
    const response = await client.extend(authGot(scheme, options))(`${server.origin}/start`)

    expect(response).toMatchObject({ body: 'end', url: `${other.origin}/end?x=1` })
    expect(scheme.seen.map(({ url, reason }) => [url.href, reason])).toEqual([
      [`${server.origin}/start`, 'initial'],
      [`${other.origin}/end?x=1`, 'redirect'],
    ])
    expect(other.arrived[0]?.headers['x-test-credential']).toBe(`${credential}-2`)
    expect(events).toEqual([
      {
        type: 'redirect.followed',
        scheme: 'recording',
        status: 302,
        from: server.origin,
        to: other.origin,
        authorized: true,
      },
    ])
  })

  test.each([
    [302, false, 'POST', '{"a":1}'],
    [302, true, 'GET', ''],
    [303, false, 'GET', ''],
    [307, false, 'POST', '{"a":1}'],
  ])(
    'authorizes what got makes of a %d (method rewriting: %s)',
    async (status, methodRewriting, method, sent) => {
      const server = await redirecting(status, () => '/end')
      const scheme = recordingScheme([server.origin])
      const api = client.extend({ retry, methodRewriting }, authGot(scheme))
      await api(`${server.origin}/start`, { method: 'POST', json: { a: 1 } })

      expect(scheme.seen[1]).toMatchObject({ method, url: new URL('/end', server.origin) })
      expect(scheme.seen[1]?.body?.size ?? 0).toBe(sent.length)
      expect(server.arrived[1]).toMatchObject({ method, body: Buffer.from(sent) })
    },
  )

  test('authorizes where a hook leads instead', async () => {
    const server = await redirecting(302, () => '/end')
    const scheme = recordingScheme([server.origin])
    const lead = (options: Hook) => {
      options.url = new URL('/elsewhere', server.origin)
    }
    const api = client.extend(authGot(scheme), { hooks: { beforeRedirect: [lead] } })
    await api(`${server.origin}/start`)

    expect(scheme.seen.map(({ url }) => url.pathname)).toEqual(['/start', '/elsewhere'])
    expect(server.arrived[1]?.path).toBe('/elsewhere')
  })

  test('does not follow elsewhere, and names the origin', async () => {
    const other = await serve()
    const server = await redirecting(307, () => `${other.origin}/end?token=1`)
    const events: AuthEvent[] = []
    const options = { onEvent: (event: AuthEvent) => void events.push(event) }
    const api = client.extend({ retry }, authGot(recordingScheme([server.origin]), options))
    const error = await failure(api(`${server.origin}/start`))

    expect(error).toMatchObject({ code: 'ERR_AUTH_REDIRECT', response: { statusCode: 307 } })
    expect(error.message).toContain(other.origin)
    expect(error.message).not.toContain('token')
    expect(other.arrived).toEqual([])
    expect(events.map(({ type }) => type)).toEqual(['redirect.refused'])
  })

  test('follows elsewhere without any credential where it is asked to', async () => {
    const other = await redirecting(302, () => `${server.origin}/back`)
    const server = await redirecting(302, () => `${other.origin}/start`)
    const scheme = recordingScheme([server.origin])
    const secrets = {
      authorization: 'secret',
      cookie: 'secret=1',
      'proxy-authorization': 'secret',
      'x-svc-security-token': 'secret',
      'x-amz-security-token': 'secret',
      'x-test-credential': 'secret',
      'x-own-secret': 'secret',
    }
    // A hook that sets them for every request, whatever its URL is.
    const set = (options: Hook) => void Object.assign(options.headers, secrets)
    const settings = { redirect: 'follow', sensitiveHeaders: ['X-Own-Secret'] } as const
    const api = client.extend(authGot(scheme, settings), { hooks: { beforeRequest: [set] } })
    const response = await api(`${server.origin}/start`, { headers: { 'x-plain': '1' } })

    expect(response.body).toBe('end')
    expect(scheme.seen).toHaveLength(1)
    expect(server.arrived[0]?.headers).toMatchObject({ 'x-svc-security-token': 'secret' })
    // Once outside, the way back is the other origin's choice.
    for (const arrived of [other.arrived[0], server.arrived[1]]) {
      expect(arrived?.headers).toMatchObject({ 'x-plain': '1' })
      expect(JSON.stringify(arrived?.rawHeaders)).not.toMatch(/secret|credential/)
    }
  })

  test('an attempt of got’s own outside gets no credential either', async () => {
    const other = await serve((request, response) => {
      response.statusCode = request.count === 1 ? 503 : 200
      response.end('end')
    })
    const server = await redirecting(302, () => `${other.origin}/end`)
    const scheme = recordingScheme([server.origin])
    const limited = {
      limit: 1,
      calculateDelay: ({ computedValue }: { computedValue: number }) => computedValue && 1,
    }
    const api = client.extend({ retry: limited }, authGot(scheme, { redirect: 'follow' }))
    const response = await api(`${server.origin}/start`, { headers: { 'x-svc-own': 'secret' } })

    expect(response.body).toBe('end')
    expect(other.arrived).toHaveLength(2)
    expect(scheme.seen).toHaveLength(1)
    expect(JSON.stringify(other.arrived)).not.toMatch(/secret|credential/)
  })

  test('an attempt of got’s own counts the redirect before it once', async () => {
    const server = await serve((request, response) => {
      const isStart = request.path === '/start'
      response.statusCode = isStart ? 302 : request.count === 2 ? 503 : 200
      if (isStart) response.setHeader('location', '/end')
      response.end('end')
    })
    const limited = {
      limit: 1,
      calculateDelay: ({ computedValue }: { computedValue: number }) => computedValue && 1,
    }
    const auth = authGot(recordingScheme([server.origin]), { maxRedirects: 1 })
    const response = await client.extend({ retry: limited }, auth)(`${server.origin}/start`)

    expect(response.body).toBe('end')
    expect(server.arrived.map(({ path }) => path)).toEqual(['/start', '/end', '/end'])
  })

  test('an unsafe method is not followed elsewhere', async () => {
    const other = await serve()
    const server = await redirecting(307, () => `${other.origin}/end`)
    const scheme = recordingScheme([server.origin])
    const api = client.extend({ retry }, authGot(scheme, { redirect: 'follow' }))
    const call = api(`${server.origin}/start`, { method: 'POST', json: { Password: 'secret' } })

    expect(await failure(call)).toMatchObject({ code: 'ERR_AUTH_REDIRECT' })
    expect(other.arrived).toEqual([])
  })

  test('the caller’s cookies and authorization stay with their origin', async () => {
    const other = await serve((_, response) => response.end('end'))
    const server = await redirecting(302, () => `${other.origin}/end`)
    const api = client.extend({ retry }, authGot(recordingScheme([server.origin, other.origin])))
    const headers = {
      authorization: 'secret',
      cookie: 'secret=1',
      'proxy-authorization': 'secret',
      'x-own': '1',
    }
    await api(`${server.origin}/start`, { headers })

    expect(other.arrived[0]?.headers).toMatchObject({ 'x-own': '1' })
    expect(JSON.stringify(other.arrived[0]?.rawHeaders)).not.toContain('secret')
  })

  test('a cookie jar chooses the cookies of another covered origin', async () => {
    const other = await serve((_, response) => response.end('end'))
    const server = await redirecting(302, () => `${other.origin}/end`)
    const cookieJar = {
      getCookieString: async (url: string) => `of=${new URL(url).pathname.slice(1)}`,
      setCookie: async () => {},
    }
    const api = client.extend(
      { cookieJar },
      authGot(recordingScheme([server.origin, other.origin])),
    )
    await api(`${server.origin}/start`)

    expect(server.arrived[0]?.headers.cookie).toBe('of=start')
    expect(other.arrived[0]?.headers.cookie).toBe('of=end')
  })

  test.each([
    ['its own', { maxRedirects: 2 }, {}, 'ERR_AUTH_REDIRECT'],
    ['got’s', {}, { maxRedirects: 2 }, 'ERR_TOO_MANY_REDIRECTS'],
  ])('keeps %s limit of redirects', async (_case, settings, options, code) => {
    const server = await redirecting(302, () => '/start')
    const scheme = recordingScheme([server.origin])
    const api = client.extend({ retry, ...options }, authGot(scheme, settings))

    expect(await failure(api(`${server.origin}/start`))).toMatchObject({ code })
    expect(server.arrived).toHaveLength(3)
  })

  test('got.stream follows a redirect', async () => {
    const server = await redirecting(302, () => '/end')
    const scheme = recordingScheme([server.origin])
    const call = client.extend(authGot(scheme)).stream(`${server.origin}/start`)

    expect(await text(call)).toBe('end')
    expect(scheme.seen.map(({ url }) => url.pathname)).toEqual(['/start', '/end'])
  })

  test('got.stream follows a redirect that drops the body, where a GET may have one', async () => {
    const server = await redirecting(303, () => '/end')
    const api = client.extend({ retry }, authGot(recordingScheme([server.origin])))
    const options = { method: 'POST', body: 'text', allowGetBody: true }
    expect(await text(api.stream(`${server.origin}/start`, options))).toBe('end')
    expect(server.arrived.map(({ method }) => method)).toEqual(['POST', 'GET'])
  })

  test('a stream does not go where a redirect leads', async () => {
    const server = await redirecting(307, () => '/end')
    const api = client.extend({ retry }, authGot(recordingScheme([server.origin])))
    const body = Readable.from(['one', 'two'])
    const error = await failure(api(`${server.origin}/start`, { method: 'PUT', body }))

    // got 15 and later see it themselves.
    const code = name === 'got 14' ? 'ERR_AUTH_REDIRECT' : 'ERR_GOT_REQUEST_ERROR'
    expect(error).toMatchObject({ code })
    expect(server.arrived).toHaveLength(1)
  })
})

// got 14 cannot send a form once more.
describe.each(majors.filter(([name]) => name !== 'got 14'))(
  'authGot with %s',
  (_name, client: CommonGot) => {
    test('a form goes where a redirect leads', async () => {
      const server = await redirecting(307, () => '/end')
      const api = client.extend({ retry }, authGot(recordingScheme([server.origin])))
      const body = new FormData()
      body.set('name', 'value')
      await api(`${server.origin}/start`, { method: 'POST', body })

      expect(server.arrived[1]?.body.byteLength).toBeGreaterThan(0)
      expect(server.arrived[1]?.body).toEqual(server.arrived[0]?.body)
    })
  },
)
