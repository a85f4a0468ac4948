import { defaultUsers } from '@svc/emulator'
import ky from 'ky'
import ky1 from 'ky1'
import { describe, expect, test } from 'vitest'
import { authKy, createTokenAuth } from '@svc/auth-token'
import { loginRequests, primary, service } from '../support/service.ts'

describe('a login', () => {
  test('stands on the wire exactly as section 4.1 of the interface shows', async () => {
    const { fetch, groups, emulator } = await service()
    expect((await fetch(groups)).status).toBe(200)
    const [login, listed] = emulator.requests
    expect(login?.method).toBe('POST')
    expect(login?.target).toBe('/user/login')
    expect(login?.headers).toMatchObject({
      accept: 'application/json',
      'content-type': 'application/json',
      'x-svc-route-token': 'login',
    })
    expect(login?.headers).not.toHaveProperty('x-svc-security-token')
    expect(JSON.parse(new TextDecoder().decode(login?.body))).toEqual({
      Username: primary.username,
      Password: primary.password,
      UniqueSession: true,
    })
    expect(listed?.headers['x-svc-route-token']).toBe('login')
    expect(listed?.headers['x-svc-security-token']).toMatch(/^eyJ/)
    expect(listed?.auth).toMatchObject({ scheme: 'token', ok: true })
  })

  test('of a subaccount sends its ParentUid', async () => {
    const { username, password, parentUid } = defaultUsers[1]
    const { fetch, groups, emulator } = await service({
      credentials: { username, password, parentUid },
      uniqueSession: false,
    })
    expect(await (await fetch(groups)).json()).toEqual(defaultUsers[1].groups)
    expect(JSON.parse(new TextDecoder().decode(emulator.requests[0]?.body))).toEqual({
      Username: username,
      Password: password,
      ParentUid: parentUid,
      UniqueSession: false,
    })
  })

  test('goes below the path of the base URL', async () => {
    const { server, emulator } = await service()
    const auth = createTokenAuth({ baseUrl: `${server.url.origin}/tenant/`, credentials: primary })
    await auth.getToken().catch(() => {})
    expect(emulator.requests[0]?.target).toBe('/tenant/user/login')
  })

  test('and the token take their names from vendorPrefix', async () => {
    const { fetch, groups, emulator } = await service(
      { vendorPrefix: 'acme' },
      { vendorPrefix: 'acme' },
    )
    expect((await fetch(groups)).status).toBe(200)
    const headers = emulator.requests.map((request) => Object.keys(request.headers))
    expect(headers[0]).toContain('x-acme-route-token')
    expect(headers[1]).toEqual(
      expect.arrayContaining(['x-acme-security-token', 'x-acme-route-token']),
    )
  })

  test('asks a function for the credentials each time', async () => {
    let asked = 0
    const { auth, emulator } = await service({
      credentials: async ({ signal }) => {
        asked += 1
        expect(signal.aborted).toBe(false)
        return primary
      },
    })
    await auth.getToken()
    await auth.getToken()
    await auth.invalidate()
    await auth.getToken()
    expect([asked, emulator.logins]).toEqual([2, 2])
  })

  test('is made once for 1 000 concurrent callers', async () => {
    const { fetch, groups, emulator } = await service()
    const responses = await Promise.all(Array.from({ length: 1000 }, () => fetch(groups)))
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
    expect(emulator.logins).toBe(1)
  })

  test('is not needed while there is a token, which is then added at once', async () => {
    const { auth, base } = await service()
    const request = {
      method: 'GET',
      url: new URL(base),
      headers: new Headers(),
      body: undefined,
      attempt: 1,
      reason: 'initial',
    } as const
    expect(auth.authorize(request)).toBeInstanceOf(Promise)
    await auth.getToken()
    expect(auth.authorize(request)).not.toBeInstanceOf(Promise)
  })
})

describe.each([
  [
    'ky 2',
    (base: string, auth: ReturnType<typeof createTokenAuth>) =>
      ky.create({ prefix: base }).extend(authKy(auth)),
  ],
  [
    'ky 1',
    (base: string, auth: ReturnType<typeof createTokenAuth>) =>
      ky1.create({ prefixUrl: base }).extend(authKy(auth)),
  ],
])('through %s', (_name, create) => {
  test('one login serves concurrent calls, and a revoked token is renewed once', async () => {
    const { base, auth, emulator } = await service()
    const api = create(base, auth)
    const list = async () => api.get('user/groups').json()
    expect(await Promise.all([list(), list(), list()])).toEqual(
      Array(3).fill(defaultUsers[0].groups),
    )
    expect(emulator.logins).toBe(1)
    emulator.revokeTokens()
    expect(await list()).toEqual(defaultUsers[0].groups)
    expect(emulator.logins).toBe(2)
  })

  test('a refused login is asked for once, whatever the client retries', async () => {
    const attempt = await service({ credentials: { ...primary, password: 'wrong' } })
    await expect(create(attempt.base, attempt.auth).get('user/groups')).rejects.toMatchObject({
      code: 'ERR_AUTH_LOGIN_REFUSED',
      status: 401,
    })
    expect(loginRequests(attempt)).toBe(1)
  })

  test('a slow login is not charged to the timeout of the client', async () => {
    const { base, auth, emulator } = await service()
    emulator.fault({ path: '/user/login', latencyMs: 500 })
    expect((await create(base, auth).get('user/groups', { timeout: 400 })).status).toBe(200)
  })
})
