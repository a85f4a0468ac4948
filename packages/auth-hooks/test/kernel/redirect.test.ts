import { channel } from 'node:diagnostics_channel'
import { authFetch, type AuthFetchOptions } from '@svc/auth-hooks'
import type { AuthEvent } from '@svc/types'
import { describe, expect, onTestFinished, test } from 'vitest'
import { recordingScheme } from '../support/schemes.ts'
import { type Arrived, redirectTo, serve } from '../support/server.ts'

function comparable({ method, path, headers, body }: Arrived) {
  return { method, path, headers: { ...headers, 'x-test-credential': undefined }, body }
}

/** A covered server whose `/start` redirects, and one that is not covered. */
async function servers(
  status: number,
  target: (origins: { own: string; other: string }) => string,
) {
  const other = await serve((request, response) => {
    if (request.path === '/back') redirectTo(response, 302, `${own.origin}/end`)
    else response.end('other')
  })
  const own = await serve((request, response) => {
    if (request.path !== '/start') response.end('own')
    else redirectTo(response, status, target({ own: own.origin, other: other.origin }))
  })
  const scheme = recordingScheme([own.origin])
  const events: AuthEvent[] = []
  return {
    own,
    other,
    scheme,
    events,
    start: `${own.origin}/start`,
    send: (options?: AuthFetchOptions) =>
      authFetch(scheme, { onEvent: (event) => events.push(event), ...options }),
  }
}

describe('within the covered origins every hop is authorized anew', () => {
  test.each([
    ['/end', '#own'],
    ['/end#target', '#target'],
  ])('a redirect to %s leads to the fragment %s', async (target, fragment) => {
    const { scheme, send, start } = await servers(302, () => target)
    await send()(`${start}#own`)
    expect(scheme.seen.map(({ url }) => url.hash)).toEqual(['#own', fragment])
  })

  test.each([
    [301, 'POST', 'GET'],
    [302, 'POST', 'GET'],
    [303, 'POST', 'GET'],
    [307, 'POST', 'POST'],
    [308, 'POST', 'POST'],
    [301, 'PUT', 'PUT'],
    [302, 'DELETE', 'DELETE'],
    [303, 'PUT', 'GET'],
    [303, 'HEAD', 'HEAD'],
  ])('%d turns %s into %s, as fetch does', async (status, method, next) => {
    const { own, scheme, send, start } = await servers(status, () => 'end?x=1')
    const init = {
      method,
      headers: { 'content-type': 'a/b', authorization: 'own', 'x-own': '1' },
      ...(method !== 'HEAD' && { body: 'text' }),
    }
    const response = await send()(start, init)
    await send({ rebuildRequests: true })(new Request(start, init))
    await fetch(start, init)

    const [, ours, , ofRequest, , plain] = own.arrived.map(comparable)
    expect(ours).toMatchObject({ method: next, path: '/end?x=1' })
    expect(ours).toEqual(plain)
    expect(ofRequest).toEqual(plain)
    expect(own.arrived[1]?.headers['x-test-credential']).toBe('credential-of-the-test-2')
    expect(scheme.seen[1]).toMatchObject({ method: next, attempt: 2, reason: 'redirect' })
    expect(response.redirected).toBe(true)
    expect(response.clone().redirected).toBe(true)
    expect(response.clone().clone().redirected).toBe(true)
    expect(response.url).toBe(`${own.origin}/end?x=1`)
  })

  test('another covered origin gets a fresh credential and none of the caller’s', async () => {
    const { other, own, start } = await servers(307, (origins) => `${origins.other}/end`)
    const scheme = recordingScheme([own.origin, other.origin])
    await authFetch(scheme)(start, { headers: { authorization: 'own', 'x-own': '1' } })

    expect(other.arrived[0]?.headers).toMatchObject({
      'x-own': '1',
      'x-test-credential': 'credential-of-the-test-2',
    })
    expect(other.arrived[0]?.headers).not.toHaveProperty('authorization')
  })

  test('a Location in UTF-8 is read as such', async () => {
    const { own, send, start } = await servers(302, () => Buffer.from('/größe').toString('latin1'))
    await send()(start)
    expect(own.arrived[1]?.path).toBe('/gr%C3%B6%C3%9Fe')
  })
})

describe('a redirect to a URL that is not covered', () => {
  test('is refused, and the other server sees nothing', async () => {
    const { other, events, own, send, start } = await servers(
      302,
      (origins) => `${origins.other}/path?secret=1`,
    )
    const error: unknown = await send()(start).catch((reason: unknown) => reason)

    expect(error).toMatchObject({ code: 'ERR_AUTH_REDIRECT', status: 302 })
    expect(String(error)).toContain(`a redirect to ${other.origin},`)
    expect(String(error)).not.toMatch(/secret|\/path/)
    expect(other.arrived).toEqual([])
    expect(events).toEqual([
      {
        type: 'redirect.refused',
        scheme: 'recording',
        status: 302,
        from: own.origin,
        to: other.origin,
      },
    ])
  })

  test('is followed without any credential where the caller asks for that', async () => {
    const { other, events, own, send, start } = await servers(302, ({ other: to }) => `${to}/x`)
    const response = await send({ redirect: 'follow', sensitiveHeaders: ['X-Tenant'] })(start, {
      headers: {
        authorization: 'own',
        cookie: 'a=b',
        'x-amz-date': '1',
        'x-svc-thing': '1',
        'X-Test-Credential': 'of the caller, in the name that the scheme uses',
        'x-tenant': '1',
        'x-own': '1',
      },
    })

    expect(await response.text()).toBe('other')
    const names = Object.keys(other.arrived[0]?.headers ?? {})
    expect(names.filter((name) => /^(?:x-|authorization|cookie)/.test(name))).toEqual(['x-own'])
    expect(events).toEqual([
      {
        type: 'redirect.followed',
        scheme: 'recording',
        status: 302,
        from: own.origin,
        to: other.origin,
        authorized: false,
      },
    ])
  })

  test('withholds the headers that the scheme and the caller name, and no vendor that nobody named', async () => {
    const { other, scheme, start } = await servers(302, ({ other: to }) => `${to}/x`)
    const acme = { ...scheme, sensitiveHeaders: ['X-Acme-*', 'x-key'] }
    const send = authFetch(acme, { redirect: 'follow', sensitiveHeaders: ['x-tenant-*'] })
    const withheld = { 'x-acme-anything': '1', 'X-Key': '1', 'x-tenant-id': '1' }
    const kept = {
      'x-acme': '1',
      'x-amz-date': '1',
      'x-keys': '1',
      'x-svc-thing': '1',
      'x-tenant': '1',
    }
    await (await send(start, { headers: { ...withheld, ...kept } })).text()

    const names = Object.keys(other.arrived[0]?.headers ?? {})
    expect(names.filter((name) => name.startsWith('x-')).toSorted()).toEqual(Object.keys(kept))
  })

  test('and back again gets no credential any more', async () => {
    const { own, scheme, send, start } = await servers(302, ({ other }) => `${other}/back`)
    await send({ redirect: 'follow' })(start)

    expect(own.arrived.map(({ path }) => path)).toEqual(['/start', '/end'])
    expect(own.arrived[1]?.headers).not.toHaveProperty('x-test-credential')
    expect(scheme.seen).toHaveLength(1)
  })

  test('is refused from https to http', async () => {
    const sentTo: unknown[] = []
    const send = authFetch(recordingScheme(['https://a.example']), {
      redirect: 'follow',
      fetch: async (input) => {
        sentTo.push(input)
        return new Response(null, { status: 302, headers: { location: 'http://b.example/' } })
      },
    })
    await expect(send('https://a.example')).rejects.toMatchObject({ code: 'ERR_AUTH_REDIRECT' })
    expect(sentTo).toEqual(['https://a.example/'])
  })
})

test('a scheme is asked about a redirect with the URL that it comes from', async () => {
  const { scheme, send, start, own } = await servers(302, () => '/end')
  const asked: (readonly [url: string, from: string | undefined])[] = []
  const covers = (url: URL, from?: URL): boolean => {
    asked.push([url.href, from?.href])
    return from === undefined && scheme.covers(url)
  }
  const response = await authFetch({ ...scheme, covers }, { redirect: 'follow' })(start)
  expect(await response.text()).toBe('own')
  // Covered, but not as the target of this redirect: followed without a credential.
  expect(own.arrived.map(({ headers }) => headers['x-test-credential'])).toEqual([
    expect.any(String),
    undefined,
  ])
  expect(asked.at(-1)).toEqual([`${own.origin}/end`, start])
  await expect(authFetch({ ...scheme, covers })(start)).rejects.toMatchObject({
    code: 'ERR_AUTH_REDIRECT',
  })
  expect((await send()(start)).status).toBe(200)
})

test('a loop ends after maxRedirects', async () => {
  const { own, send, start } = await servers(302, () => '/start')
  await expect(send()(start)).rejects.toMatchObject({ code: 'ERR_AUTH_REDIRECT' })
  expect(own.arrived).toHaveLength(21)
  await expect(send({ maxRedirects: 0 })(start)).rejects.toThrow('maxRedirects (0)')
  expect(own.arrived).toHaveLength(22)
})

test('a redirect without a Location is a response as any other', async () => {
  const server = await serve((_, response) => response.writeHead(302).end('text'))
  const response = await authFetch(recordingScheme([server.origin]))(server.origin)
  expect(await response.text()).toBe('text')
})

test.each(['http://[', 'ftp://a.example/', 'javascript:1', 'http://me:hunter2@127.0.0.1/'])(
  'a redirect to %s is refused without showing it',
  async (location) => {
    const { events, send, start } = await servers(302, () => location)
    const error: unknown = await send()(start).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'ERR_AUTH_REDIRECT' })
    expect(String(error)).not.toMatch(/hunter2/)
    expect(events).toMatchObject([{ type: 'redirect.refused' }])
  },
)

test('a redirect that a browser hides is refused', async () => {
  const hidden = new Response(null)
  Object.defineProperties(hidden, { type: { value: 'opaqueredirect' }, status: { value: 0 } })
  const send = authFetch(recordingScheme(['https://a.example']), { fetch: async () => hidden })
  await expect(send('https://a.example')).rejects.toMatchObject({ code: 'ERR_AUTH_REDIRECT' })
})

test.each([
  [
    'throws',
    () => {
      throw new Error('of the observer')
    },
  ],
  ['rejects', () => Promise.reject(new Error('of the observer'))],
])('an observer that %s changes nothing', async (_name, onEvent) => {
  const { send, start } = await servers(302, () => '/end')
  expect((await send({ onEvent })(start)).status).toBe(200)
})

test('events are published on the diagnostics channel svc-auth', async () => {
  const { send, start, events } = await servers(302, () => '/end')
  const published: unknown[] = []
  const listener = (event: unknown) => published.push(event)
  channel('svc-auth').subscribe(listener)
  onTestFinished(() => {
    channel('svc-auth').unsubscribe(listener)
  })
  await send()(start)
  expect(published).toEqual(events)
  expect(published).toHaveLength(1)
})

describe('headers', () => {
  test('that describe a body go with it where a redirect drops it', async () => {
    const server = await serve(({ count }, response) => {
      response.writeHead(count === 1 ? 303 : 200, { location: '/there' }).end()
    })
    await authFetch(recordingScheme([server.origin]))(`${server.origin}/here`, {
      method: 'POST',
      body: 'text',
      headers: { 'x-amz-content-sha256': 'hash', 'content-md5': 'md5', 'content-digest': 'x' },
    })
    const there = server.arrived[1]?.headers
    expect(there).not.toHaveProperty('x-amz-content-sha256')
    expect(there).not.toHaveProperty('content-md5')
    expect(there).not.toHaveProperty('content-digest')
    expect(there).not.toHaveProperty('content-type')
  })
})

test.each([
  ['/same', 'basic'],
  ['/other', 'cors'],
  ['/there-and-back', 'cors'],
])('a response after a redirect to %s has the type %s, as that of fetch', async (path, type) => {
  const other = await serve((request, response) => {
    if (request.path === '/back') redirectTo(response, 302, `${own.origin}/end`)
    else response.end()
  })
  const targets: Readonly<Record<string, string>> = {
    '/same': '/end',
    '/other': `${other.origin}/end`,
    '/there-and-back': `${other.origin}/back`,
  }
  const own = await serve((request, response) => {
    const target = targets[request.path]
    if (target) redirectTo(response, 302, target)
    else response.end()
  })
  const response = await authFetch(recordingScheme([own.origin, other.origin]))(own.origin + path)
  const bare = await fetch(own.origin + path)
  expect([response.type, response.redirected, response.url]).toEqual([type, true, bare.url])
  expect(response.clone().type).toBe(bare.type)
})
