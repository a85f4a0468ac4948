import { type AuthError, authFetch, type AuthEvent } from '@svc/auth-digest'
import { describe, expect, test } from 'vitest'
import { serve } from '../../auth-hooks/test/support/server.ts'
import {
  answerTo,
  challenge,
  challengeWith,
  digestOf,
  headOf,
  parameterOf,
  requestOf,
  valueOf,
} from './support/challenges.ts'
import { reader } from './support/reference-server.ts'

/** A server that refuses everybody while `isRight` is false, and counts the answers that it looked at. */
async function refusing(isRight: (path: string, user: string | undefined) => boolean) {
  let answers = 0
  let challenges = 0
  const server = await serve(({ headers, path }, response) => {
    const { authorization } = headers
    if (authorization) answers += 1
    if (authorization && isRight(path, parameterOf(authorization, 'username'))) response.end('yes')
    else challenge(response, challengeWith(`n${(challenges += 1)}`))
  })
  return { origin: server.origin, answers: () => answers }
}

describe('refused credentials', () => {
  test('are sent again after a pause, which doubles each time', async () => {
    let now = 1_000_000
    const events: AuthEvent[] = []
    const { origin, answers } = await refusing(() => false)
    const onEvent = (event: AuthEvent): unknown => events.push(event)
    const auth = digestOf({ baseUrl: origin, clock: () => now, onEvent })
    const send = authFetch(auth)
    const fail = async (): Promise<{ retryAt: number }> => {
      const [result] = await Promise.allSettled([send(origin)])
      if (result.status === 'fulfilled') throw new Error('it did not fail')
      return result.reason as { retryAt: number }
    }

    expect(await fail()).toMatchObject({ code: 'ERR_AUTH_LOGIN_REFUSED', retryAt: now + 30_000 })
    expect(await fail()).toMatchObject({ retryAt: now + 30_000 })
    expect(answers()).toBe(1)
    expect(auth.inspect()).toEqual({ state: 'paused', retryAt: now + 30_000 })
    now += 30_000
    expect(await fail()).toMatchObject({ retryAt: now + 60_000 })
    for (let call = 1; call <= 10; call += 1) now = (await fail()).retryAt
    expect((await fail()).retryAt).toBe(now + 900_000)
    expect(answers()).toBe(12)
    expect(events.slice(0, 2)).toEqual([
      {
        type: 'login.failed',
        scheme: 'digest',
        origin,
        status: 401,
        code: 'ERR_AUTH_LOGIN_REFUSED',
      },
      { type: 'login.paused', scheme: 'digest', origin, status: 401, retryAt: 1_030_000 },
    ])
    expect(JSON.stringify(events)).not.toContain(reader.password)
  })

  test('are sent at once after invalidate, but not after five refusals', async () => {
    const { origin, answers } = await refusing(() => false)
    const auth = digestOf({ baseUrl: origin })
    const send = authFetch(auth)
    for (let call = 1; call <= 7; call += 1) {
      await expect(send(origin)).rejects.toMatchObject({ code: 'ERR_AUTH_LOGIN_REFUSED' })
      auth.invalidate()
    }
    expect(answers()).toBe(5)
  })

  test('are not held against others that a function returns', async () => {
    const { origin, answers } = await refusing((_path, user) => user === 'second')
    let username = 'first'
    const credentials = async () => ({ username, password: 'p' })
    const auth = digestOf({ baseUrl: origin, credentials })
    const send = authFetch(auth)
    await expect(send(origin)).rejects.toMatchObject({ code: 'ERR_AUTH_LOGIN_REFUSED' })
    await expect(send(origin)).rejects.toMatchObject({ code: 'ERR_AUTH_LOGIN_REFUSED' })
    expect(answers()).toBe(1)
    username = 'second'
    expect((await send(origin)).status).toBe(200)
    expect(answers()).toBe(2)
    expect(auth.inspect()).toEqual({ state: 'valid' })
  })

  test('of a path that the user may not open keep nobody from the others', async () => {
    const { origin } = await refusing((path) => path !== '/admin')
    const auth = digestOf({ baseUrl: origin })
    const send = authFetch(auth, { baseUrl: origin })
    for (let round = 1; round <= 4; round += 1) {
      expect((await send('/mine')).status).toBe(200)
      const refusal = await send('/admin').then(
        () => expect.unreachable(),
        (error: unknown) => error,
      )
      expect(refusal).toMatchObject({ code: 'ERR_AUTH_LOGIN_REFUSED', status: 401 })
      expect(refusal).not.toHaveProperty('retryAt')
    }
    expect((await send('/mine')).status).toBe(200)
  })

  test('that were right before are tried three times by 200 callers, beside those under way', async () => {
    let isRight = true
    const { origin, answers } = await refusing(() => isRight)
    const auth = digestOf({ baseUrl: origin })
    const send = authFetch(auth)
    expect((await send(origin)).status).toBe(200)
    isRight = false
    const results = await Promise.allSettled(Array.from({ length: 200 }, () => send(origin)))
    expect(new Set(results.map(({ status }) => status))).toEqual(new Set(['rejected']))
    expect(answers()).toBe(1 + 200 + 3)
    expect(auth.inspect().state).toBe('paused')
  })

  test('that were right before are paused for 30 seconds after two that are tolerated', async () => {
    const now = 1_000_000
    const { origin, answers } = await refusing((path) => path !== '/admin')
    const send = authFetch(digestOf({ baseUrl: origin, clock: () => now }), { baseUrl: origin })
    expect((await send('/mine')).status).toBe(200)
    for (const retryAt of [undefined, undefined, now + 30_000, now + 30_000]) {
      const refusal = await send('/admin').catch((error: unknown) => error)
      expect((refusal as { retryAt?: number }).retryAt).toBe(retryAt)
    }
    // One was accepted, and four were refused, as the README says.
    expect(answers()).toBe(1 + 4)
  })

  test('that a function returns in turn are each sent once, and no more than five', async () => {
    for (const [kinds, sent] of [
      [2, 2],
      [100, 5],
    ] as const) {
      let calls = 0
      const { origin, answers } = await refusing(() => false)
      const credentials = async () => ({ username: 'u', password: `p${(calls += 1) % kinds}` })
      const send = authFetch(digestOf({ baseUrl: origin, credentials, clock: () => 1_000_000 }))
      for (let call = 1; call <= 50; call += 1) await send(origin).catch(() => {})
      expect(answers()).toBe(sent)
    }
  })

  test.each([
    ['never returns', () => new Promise<never>(() => {})],
    ['fails', () => Promise.reject(new Error('no vault'))],
  ])('cannot be read: a function that %s is called once for 200 callers', async (_, source) => {
    const { origin } = await refusing(() => false)
    let calls = 0
    const credentials = (): Promise<never> => {
      calls += 1
      return source()
    }
    const send = authFetch(digestOf({ baseUrl: origin, credentials, challengeTimeoutMs: 900 }))
    const codes = async (): Promise<Set<unknown>> => {
      const sent = Array.from({ length: 200 }, () => send(origin).catch((error: unknown) => error))
      return new Set((await Promise.all(sent)).map((error) => (error as AuthError).code))
    }
    expect(await codes()).toEqual(new Set(['ERR_AUTH_CREDENTIALS']))
    expect(calls).toBe(1)
    expect(await codes()).toEqual(new Set(['ERR_AUTH_CREDENTIALS']))
    expect(calls).toBe(2)
  })

  test('are paused though another path, which asks for none, responds with 200', async () => {
    let now = 1_000_000
    let answers = 0
    const { origin } = await serve(({ headers, path }, response) => {
      if (headers.authorization && path !== '/open') answers += 1
      if (path === '/open') response.end()
      else challenge(response, challengeWith('n'))
    })
    const send = authFetch(digestOf({ baseUrl: origin, clock: () => now }))
    await expect(send(`${origin}/closed`)).rejects.toMatchObject({ code: 'ERR_AUTH_LOGIN_REFUSED' })
    now += 31_000
    for (let call = 1; call <= 20; call += 1) {
      await send(`${origin}/open`).catch(() => {})
      await send(`${origin}/closed`).catch(() => {})
    }
    // One after the pause, which then begins anew.
    expect(answers).toBe(2)
  })

  test('are sent by few of 200 callers, though the server takes longer than they wait', async () => {
    let answers = 0
    const { origin } = await serve(({ headers }, response) => {
      if (!headers.authorization) return challenge(response, challengeWith('n'))
      answers += 1
      setTimeout(() => challenge(response, challengeWith('n')), 300)
    })
    const send = authFetch(digestOf({ baseUrl: origin, challengeTimeoutMs: 100 }))
    await Promise.allSettled(Array.from({ length: 200 }, () => send(origin)))
    expect(answers).toBeLessThanOrEqual(6)
  })

  test('that are under way keep no caller whose signal aborts', async () => {
    const server = await serve(({ headers }, response) => {
      if (!headers.authorization) challenge(response, challengeWith('n'))
    })
    const send = authFetch(digestOf({ baseUrl: server.origin }))
    const controller = new AbortController()
    const { signal } = controller
    const calls = [1, 2, 3].map(() =>
      send(server.origin, { signal }).catch((error: Error) => error),
    )
    await expect.poll(() => server.arrived.length).toBe(2)
    controller.abort(new Error('no longer wanted'))
    const errors = (await Promise.all(calls)) as Error[]
    expect(errors.map(({ message }) => message)).toEqual(Array(3).fill('no longer wanted'))
    expect(server.arrived).toHaveLength(2)
  })

  test('are not waited for longer than once, where a path never responds', async () => {
    const { origin } = await serve(({ path }, response) => {
      if (path !== '/poll') response.end()
    })
    const controller = new AbortController()
    const challengeTimeoutMs = 200
    const send = authFetch(digestOf({ baseUrl: origin, challengeTimeoutMs }), { baseUrl: origin })
    const { signal } = controller
    const polls = Array.from({ length: 20 }, () => send('/poll', { signal }).catch(() => {}))
    const startedAt = performance.now()
    expect((await send('/other')).status).toBe(200)
    expect(performance.now() - startedAt).toBeLessThan(10 * challengeTimeoutMs)
    controller.abort()
    await Promise.all(polls)
  })

  test.each([503, 407, 429])('are not those of a response with %i', async (status) => {
    const auth = digestOf()
    const given = await answerTo(auth, challengeWith('n'))
    const another = {
      'proxy-authenticate': challengeWith('p'),
      'www-authenticate': challengeWith('q'),
    }
    expect(await given.review?.(headOf(status, another))).toBeUndefined()
    expect(auth.inspect()).toEqual({ state: 'challenged' })
    // Nor are they right: the next request brings a challenge of its own.
    const next = await auth.authorize(requestOf())
    expect(valueOf(next)).toBeNull()
    next.abandon?.()
    const second = await answerTo(auth, challengeWith('n'), { path: '/b' })
    expect(parameterOf(valueOf(second), 'nc')).toBe('00000002')
  })
})
