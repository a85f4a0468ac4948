import { describe, expect, test } from 'vitest'
import { authFetch } from '@svc/auth-token'
import { loginRequests, service, until } from '../support/service.ts'

describe('a token that the service refuses', () => {
  test('is renewed once, and the request sent again', async () => {
    const { fetch, groups, emulator, events } = await service()
    await fetch(groups)
    emulator.revokeTokens()
    expect((await fetch(groups)).status).toBe(200)
    expect(emulator.logins).toBe(2)
    expect(events.map(({ type }) => type)).toEqual([
      'login.start',
      'login.ok',
      'token.reused',
      'token.rejected',
      'login.start',
      'login.ok',
    ])
  })

  const form = new FormData()
  form.append('file', new Blob(['content'], { type: 'text/plain' }), 'name.txt')
  test.each<[kind: string, body: NonNullable<RequestInit['body']>]>([
    ['text', 'a text'],
    ['bytes', new Uint8Array([1, 2, 3])],
    ['a Blob', new Blob(['blob'])],
    ['a form', form],
    ['parameters', new URLSearchParams({ a: 'b' })],
  ])('has %s sent again, the same bytes with the same type', async (_kind, body) => {
    const { base, fetch, auth, emulator } = await service()
    await auth.getToken()
    for (const input of [
      () => fetch(`${base}/user/x`, { method: 'POST', body }),
      () => fetch(new Request(`${base}/user/x`, { method: 'POST', body })),
    ]) {
      emulator.revokeTokens()
      await input()
      const [first, second] = emulator.requests.filter(({ path }) => path === '/user/x').slice(-2)
      expect([first?.auth.ok, second?.auth.ok]).toEqual([false, true])
      expect(first?.body.byteLength).toBeGreaterThan(0)
      expect(second?.body).toEqual(first?.body)
      expect(second?.headers['content-type']).toBe(first?.headers['content-type'])
    }
  })

  test('with a stream gives the refusal to the caller, since nothing can be sent again', async () => {
    const { base, fetch, auth, emulator } = await service()
    await auth.getToken()
    emulator.revokeTokens()
    const init: RequestInit & { duplex: 'half' } = {
      method: 'POST',
      body: new Blob(['stream']).stream(),
      duplex: 'half',
    }
    expect((await fetch(`${base}/user/x`, init)).status).toBe(401)
    expect((await fetch(`${base}/user/groups`)).status).toBe(200)
  })

  test('late refusals of the old token cost no further login', async () => {
    const { groups, auth, emulator } = await service()
    await auth.getToken()
    const waiting: (() => void)[] = []
    const held = authFetch(auth, {
      fetch: async (input, init) => {
        const response = await globalThis.fetch(input, init)
        if (response.status === 401) await new Promise<void>((resolve) => waiting.push(resolve))
        return response
      },
    })
    emulator.revokeTokens()
    const responses = Array.from({ length: 10 }, () => held(groups))
    while (waiting.length < 10) await new Promise(setImmediate)
    let arrived = 0
    for (const response of responses) void response.then(() => (arrived += 1))
    for (let released = 1; released <= 10; released += 1) {
      waiting.shift()?.()
      await until(() => arrived === released)
    }
    for (const response of responses) expect((await response).status).toBe(200)
    expect(emulator.logins).toBe(2)
  })

  test('for ever costs one login, not one for each request', async () => {
    const attempt = await service()
    const { fetch, groups, emulator, time } = attempt
    emulator.fault({ path: '/user/groups', status: 401 })
    for (let call = 0; call < 10; call += 1) expect((await fetch(groups)).status).toBe(401)
    expect(loginRequests(attempt)).toBe(2)
    time.now += 30_000
    await fetch(groups)
    expect(loginRequests(attempt)).toBe(3)
  })

  test('for ever at one address costs one login, whatever succeeds elsewhere', async () => {
    const { fetch, base, groups, emulator } = await service()
    emulator.fault({ path: '/user/forbidden', status: 401 })
    for (let call = 0; call < 10; call += 1) {
      expect((await fetch(`${base}/user/forbidden`)).status).toBe(401)
      expect((await fetch(groups)).status).toBe(200)
    }
    expect(emulator.logins).toBe(2)
  })

  test('for ever by one method costs no login for each success of another', async () => {
    const { fetch, groups, emulator } = await service()
    emulator.fault({ path: '/user/groups', method: 'POST', status: 401 })
    for (let call = 0; call < 20; call += 1) {
      expect((await fetch(groups)).status).toBe(200)
      expect((await fetch(groups, { method: 'POST', body: 'x' })).status).toBe(401)
    }
    expect(emulator.logins).toBe(2)
  })

  test.each([
    [404, 3],
    [503, 2],
  ])('after %i by the same address costs %i logins', async (status, logins) => {
    const { fetch, base, groups, emulator } = await service()
    emulator.fault({ path: '/user/elsewhere', status: 401, times: 1 })
    await fetch(`${base}/user/elsewhere`)
    expect(emulator.logins).toBe(2)
    emulator.fault({ path: '/user/groups', status, times: 1 })
    expect((await fetch(groups)).status).toBe(status)
    emulator.fault({ path: '/user/groups', status: 401, times: 1 })
    await fetch(groups)
    // A server that responds with 503 may never have looked at the token.
    expect(emulator.logins).toBe(logins)
  })

  test('every other time by one address costs a few logins, and then ever fewer', async () => {
    const { fetch, groups, emulator, time } = await service()
    for (let call = 0; call < 60; call += 1) {
      expect((await fetch(groups)).status).toBe(200)
      emulator.fault({ path: '/user/groups', status: 401, times: 1 })
      await fetch(groups)
      time.now += 100
    }
    expect(emulator.logins).toBeLessThan(16)
  })

  test('again, although its login had just been made elsewhere, is replaced a second later', async () => {
    const { session, emulator, groups, time } = await service()
    const [one, other] = [authFetch(session()), authFetch(session())]
    await one(groups)
    await other(groups)
    emulator.revokeTokens()
    await Promise.all([one(groups), other(groups)])
    time.now += 1000
    expect((await one(groups)).status).toBe(200)
    time.now += 1000
    expect((await other(groups)).status).toBe(200)
  })

  test('is replaced although the clock was set back since it came', async () => {
    const { fetch, groups, emulator, time, auth } = await service()
    await fetch(groups)
    emulator.revokeTokens()
    await auth.getToken()
    const fault = emulator.fault({ path: '/user/groups', status: 401 })
    await fetch(groups)
    fault.clear()
    emulator.revokeTokens()
    time.now -= 3_600_000
    expect((await fetch(groups)).status).toBe(200)
  })

  test('time and again recovers each time, once a request in between has succeeded', async () => {
    const { fetch, groups, emulator } = await service()
    for (let round = 0; round < 5; round += 1) {
      expect((await fetch(groups)).status).toBe(200)
      emulator.revokeTokens()
    }
    expect(emulator.logins).toBe(5)
  })

  test('is one of the statuses that rejectedStatuses lists', async () => {
    const { fetch, groups, emulator } = await service({ rejectedStatuses: [403] })
    emulator.fault({ path: '/user/groups', status: 403, times: 1 })
    expect((await fetch(groups)).status).toBe(200)
    expect(emulator.logins).toBe(2)
    emulator.fault({ path: '/user/groups', status: 401, times: 1 })
    expect((await fetch(groups)).status).toBe(401)
    expect(emulator.logins).toBe(2)
  })
})
