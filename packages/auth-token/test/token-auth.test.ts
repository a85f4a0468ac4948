import { describe, expect, test } from 'vitest'
import { authFetch, createTokenAuth, type TokenAuth } from '@svc/auth-token'
import { primary, service } from './support/service.ts'

const credentials = primary

describe('with a path in baseUrl', () => {
  const covers = (url: string, auth: TokenAuth): boolean => auth.covers(new URL(url))

  test.each(['https://h.example/api', 'https://h.example/api/', 'https://h.example//api'])(
    '%s covers whole segments below it, as a server reads them, and nothing else',
    (baseUrl) => {
      const auth = createTokenAuth({ baseUrl, credentials })
      for (const path of [
        '/api',
        '/api/',
        '/api?x',
        '/api#x',
        '/api/user/groups',
        '/api/?a=/b',
        '//api/user',
        '/%61pi/user',
        '/api%2Fuser',
      ]) {
        expect([path, covers(`https://h.example${path}`, auth)]).toEqual([path, true])
      }
      for (const path of [
        '/',
        '/user/groups',
        '/apis/user',
        '/api;x/user',
        '/API/user',
        '/v2/api/user',
        '/api/../user',
        '/%2561pi/user',
        '/?/api/',
      ]) {
        expect([path, covers(`https://h.example${path}`, auth)]).toEqual([path, false])
      }
      expect(covers('https://other.example/api/user', auth)).toBe(false)
    },
  )

  test.each([
    ['https://h.example/gr%c3%b6%C3%9fe', '/größe/user'],
    ['https://h.example/größe', '/gr%C3%B6%c3%9fe/user'],
    ['https://h.example/a b', '/a%20b/user'],
  ])('%s covers %s, which is the same path', (baseUrl, path) => {
    expect(covers(`https://h.example${path}`, createTokenAuth({ baseUrl, credentials }))).toBe(true)
  })

  test('covers the whole of other origins, and of its own where that is listed', () => {
    const other = createTokenAuth({
      baseUrl: 'https://h.example/api',
      origins: ['https://other.example'],
      credentials,
    })
    expect(covers('https://other.example/any', other)).toBe(true)
    expect(covers('https://h.example/any', other)).toBe(false)
    const own = createTokenAuth({
      baseUrl: 'https://h.example/api',
      origins: ['https://h.example'],
      credentials,
    })
    expect(covers('https://h.example/any', own)).toBe(true)
  })

  test('sends no token outside it, not even after a redirect', async () => {
    const { server, emulator } = await service()
    const auth = createTokenAuth({
      baseUrl: new URL('/user/', server.url),
      credentials,
      fetch: async () => Response.json({ Token: 'token' }),
    })
    const send = authFetch(auth, { redirect: 'follow' })
    await expect(send(new URL('/V1/k', server.url))).rejects.toMatchObject({
      code: 'ERR_AUTH_ORIGIN',
    })
    expect(emulator.requests).toEqual([])
    emulator.fault({ path: '/user/groups', redirect: { to: '/V1/k', status: 307 } })
    await send(new URL('/user/groups', server.url))
    const sent = emulator.requests.map(({ path, headers }) => [
      path,
      headers['x-svc-security-token'],
    ])
    expect(sent).toEqual([
      ['/user/groups', 'token'],
      ['/V1/k', undefined],
    ])
  })
})

test.each([
  '/user/x%2F..%2Fgroups',
  '/user/..%2f..%2fV1/x',
  '/user/%2e%2fgroups',
  '/user/..;/V1/k',
  '/user/..;a=b/V1/k',
  '/user/..%3b/V1/k',
  '/user/..%5cV1/k',
  '/user/%252e%252e/V1/k',
  '/user/x%252f..%252f..%252fV1',
])(
  '%s, which a server may read as another path, gets no token, and nothing is sent',
  async (path) => {
    const { fetch, base, emulator } = await service()
    await expect(fetch(base + path)).rejects.toMatchObject({ code: 'ERR_AUTH_URL' })
    expect(emulator.requests).toEqual([])
  },
)

describe('getToken', () => {
  test.each([null, 5, 'now', () => {}])(
    'with %j for its options rejects, and sends nothing',
    async (options) => {
      const { auth, emulator } = await service()
      // Plain JavaScript may hand these over.
      await expect(auth.getToken(options as never)).rejects.toThrow(
        new TypeError('[@svc/auth-token] getToken: options must be an object with any of signal'),
      )
      expect(emulator.requests).toEqual([])
    },
  )

  test.each([5, null, {}, 'signal', new AbortController()])(
    'with %j for a signal rejects, and sends nothing',
    async (signal) => {
      const { auth, emulator } = await service()
      await expect(auth.getToken({ signal } as never)).rejects.toThrow(
        new TypeError('[@svc/auth-token] getToken: signal must be an AbortSignal'),
      )
      expect(emulator.requests).toEqual([])
    },
  )

  test('takes options without a signal', async () => {
    const { auth } = await service()
    expect(await auth.getToken({})).toBe(await auth.getToken({ signal: undefined }))
  })
})

test('a login that is sent by way of its own scheme gets no token, and does not wait for itself', async () => {
  const { emulator, groups, session } = await service()
  // As undici's global dispatcher sends whatever the global `fetch` is given.
  const auth = session({
    fetch: (input, init) => authFetch(auth)(input, init),
    loginTimeoutMs: 2000,
  })
  expect((await authFetch(auth)(groups)).status).toBe(200)
  expect(emulator.requests.map(({ path, auth: { scheme } }) => [path, scheme])).toEqual([
    ['/user/login', 'login'],
    ['/user/groups', 'token'],
  ])
  expect(emulator.requests[0]?.headers).not.toHaveProperty('x-svc-security-token')
})

test('a path beside that of the login, or another method, gets the token', async () => {
  const { emulator, base, fetch } = await service()
  await fetch(`${base}/user/login`)
  await fetch(`${base}/user/login/more`, { method: 'POST' })
  const [, ...others] = emulator.requests
  for (const { headers } of others) expect(headers).toHaveProperty('x-svc-security-token')
})
