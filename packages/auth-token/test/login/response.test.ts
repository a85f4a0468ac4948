import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import type { Fault } from '@svc/emulator'
import { createTokenAuth } from '@svc/auth-token'
import { loginRequests, primary, service } from '../support/service.ts'
import { manualTime } from '../support/time.ts'

const json = { 'content-type': 'application/json' }

describe('a login response', () => {
  test.each<[code: string, what: string, fault: Fault]>([
    ['ERR_AUTH_LOGIN_NOT_JSON', 'that is no JSON', { status: 200, body: '<html>' }],
    ['ERR_AUTH_LOGIN_NOT_JSON', 'that is empty', { status: 200, body: '' }],
    [
      'ERR_AUTH_LOGIN_NO_TOKEN',
      'that is a list',
      { status: 200, headers: json, body: '["Token"]' },
    ],
    ['ERR_AUTH_LOGIN_NO_TOKEN', 'that is null', { status: 200, headers: json, body: 'null' }],
    [
      'ERR_AUTH_LOGIN_NO_TOKEN',
      'without Token',
      { status: 200, headers: json, body: '{"token":"a"}' },
    ],
    [
      'ERR_AUTH_LOGIN_BAD_TOKEN',
      'with a number',
      { status: 200, headers: json, body: '{"Token":1}' },
    ],
    [
      'ERR_AUTH_LOGIN_BAD_TOKEN',
      'with an empty Token',
      { status: 200, headers: json, body: '{"Token":""}' },
    ],
    [
      'ERR_AUTH_LOGIN_BAD_TOKEN',
      'with a line break',
      { status: 200, headers: json, body: '{"Token":"a\\r\\nx: y"}' },
    ],
    [
      'ERR_AUTH_LOGIN_BAD_TOKEN',
      'beyond ASCII',
      { status: 200, headers: json, body: '{"Token":"ü"}' },
    ],
    [
      'ERR_AUTH_LOGIN_TOO_LARGE',
      'over 1 MiB',
      { status: 200, headers: json, body: `{"Token":"${'a'.repeat(1024 * 1024)}"}` },
    ],
    [
      'ERR_AUTH_LOGIN_REDIRECT',
      'that redirects',
      { redirect: { to: '/user/elsewhere', status: 307 } },
    ],
    [
      'ERR_AUTH_LOGIN_REDIRECT',
      'that redirects away',
      { redirect: { to: 'https://evil.example/', status: 302 } },
    ],
    ['ERR_AUTH_LOGIN_REFUSED', 'of 400', { status: 400 }],
    ['ERR_AUTH_LOGIN_REFUSED', 'of 403', { status: 403 }],
    ['ERR_AUTH_LOGIN_REFUSED', 'of 500', { status: 500 }],
    ['ERR_AUTH_LOGIN_NETWORK', 'that breaks off', { drop: true }],
  ])('%s: one %s; nothing is kept, and the next login works', async (code, _what, fault) => {
    const { auth, emulator } = await service()
    // A fault's effects are exclusive in its type; the path goes beside any of them.
    const active = emulator.fault({ ...fault, path: '/user/login' })
    const error: unknown = await auth.getToken().catch((reason: unknown) => reason)
    expect(error).toMatchObject({ name: 'AuthError', code })
    expect(inspect(error, { showHidden: true, depth: 10 })).not.toContain(primary.password)
    expect(emulator.requests.every(({ path }) => path === '/user/login')).toBe(true)
    expect(auth.inspect().generation).toBe(0)
    active.clear()
    await auth.invalidate()
    expect(await auth.getToken()).toMatch(/^eyJ/)
  })

  test.each([
    ['/user/elsewhere?token=a', 'was redirected;'],
    [
      'https://user:pass@www.example.com/login?token=a',
      'was redirected to https://www.example.com;',
    ],
    ['https://', 'was redirected;'],
  ])('that redirects to %s says to which other origin, and no more', async (location, words) => {
    const auth = createTokenAuth({
      baseUrl: 'https://search.example.com',
      credentials: primary,
      fetch: async () => new Response(null, { status: 302, headers: { location } }),
    })
    const error: unknown = await auth.getToken().catch((reason: unknown) => reason)
    const message = `[@svc/auth-token] POST https://search.example.com/user/login ${words} not followed`
    expect(error).toMatchObject({ code: 'ERR_AUTH_LOGIN_REDIRECT', status: 302 })
    expect(String(error)).toBe(`AuthError: ${message}`)
  })

  test.each([
    ['and says so', { redirected: { value: true } }],
    ['and says only where it comes from', { redirected: { value: undefined } }],
    ['and says the opposite, being made by hand,', {}],
  ])('that a fetch followed to another origin %s is a redirect', async (_how, properties) => {
    const url = { value: 'https://www.example.com/login' }
    const followed = Response.json({ Token: 'a token' })
    const auth = createTokenAuth({
      baseUrl: 'https://search.example.com',
      credentials: primary,
      fetch: async () => Object.defineProperties(followed, { url, ...properties }),
    })
    await expect(auth.getToken()).rejects.toMatchObject({
      code: 'ERR_AUTH_LOGIN_REDIRECT',
      message: expect.stringContaining('was redirected to https://www.example.com by a fetch'),
    })
  })

  test('without a body is no JSON', async () => {
    const auth = createTokenAuth({
      baseUrl: 'https://search.example.com',
      credentials: primary,
      fetch: async () => new Response(null),
    })
    await expect(auth.getToken()).rejects.toMatchObject({ code: 'ERR_AUTH_LOGIN_NOT_JSON' })
  })

  test('that a browser hides, since it redirects, is a redirect of unknown status', async () => {
    const hidden = Object.defineProperties(new Response(null), {
      type: { value: 'opaqueredirect' },
      status: { value: 0 },
      ok: { value: false },
    })
    const auth = createTokenAuth({
      baseUrl: 'https://search.example.com',
      credentials: primary,
      fetch: async () => hidden,
    })
    const error: unknown = await auth.getToken().catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'ERR_AUTH_LOGIN_REDIRECT' })
    expect(error).not.toHaveProperty('status')
  })

  test('that never comes is given up after loginTimeoutMs', async () => {
    const time = manualTime()
    let isSilent = true
    const auth = createTokenAuth({
      baseUrl: 'https://search.example.com',
      credentials: primary,
      clock: time.clock,
      fetch: async () => (isSilent ? new Promise(() => {}) : Response.json({ Token: 'token' })),
    })
    await Promise.all([
      expect(auth.getToken()).rejects.toMatchObject({ code: 'ERR_AUTH_LOGIN_TIMEOUT' }),
      time.advance(15_000),
    ])
    isSilent = false
    expect(await auth.getToken()).toBe('token')
  })

  test('whose body never ends is given up after loginTimeoutMs, and stopped', async () => {
    let stopped = false
    const auth = createTokenAuth({
      baseUrl: 'https://search.example.com',
      credentials: primary,
      loginTimeoutMs: 50,
      fetch: async () =>
        new Response(
          new ReadableStream({
            cancel() {
              stopped = true
            },
          }),
        ),
    })
    await expect(auth.getToken()).rejects.toMatchObject({ code: 'ERR_AUTH_LOGIN_TIMEOUT' })
    expect(stopped).toBe(true)
  })
})

describe('a login refused for its credentials', () => {
  test('is not asked for again until the pause has passed, which grows', async () => {
    const attempt = await service({ credentials: { ...primary, password: 'wrong' } })
    const { auth, time } = attempt
    const failure = () => auth.getToken().catch((reason: unknown) => reason)
    const start = time.now
    const until = new Date(start + 30_000).toISOString()
    for (let call = 0; call < 10; call += 1) {
      expect(await failure()).toMatchObject({
        message: expect.stringMatching(
          new RegExp(
            `returned status 401: check credentials; read error.serverMessage for the reason; not retried before ${until}$`,
            'u',
          ),
        ),
        status: 401,
        retryAt: start + 30_000,
      })
    }
    expect(loginRequests(attempt)).toBe(1)
    expect(auth.inspect()).toMatchObject({ state: 'paused', retryAt: start + 30_000 })
    time.now += 30_000
    expect(await failure()).toMatchObject({ retryAt: time.now + 60_000 })
    expect(loginRequests(attempt)).toBe(2)
  })

  test('is asked for again at once where the credentials have changed', async () => {
    let password = 'wrong'
    const attempt = await service({ credentials: () => ({ ...primary, password }) })
    const { auth } = attempt
    await expect(auth.getToken()).rejects.toMatchObject({ status: 401 })
    await expect(auth.getToken()).rejects.toMatchObject({ status: 401 })
    expect(loginRequests(attempt)).toBe(1)
    password = primary.password
    expect(await auth.getToken()).toMatch(/^eyJ/)
  })

  test('that never comes costs one login, however many wait', async () => {
    const attempt = await service({ loginTimeoutMs: 50 })
    attempt.emulator.fault({ path: '/user/login', latencyMs: 60_000 })
    const waiters = Array.from({ length: 5 }, () => attempt.auth.getToken())
    for (const waiter of waiters) {
      await expect(waiter).rejects.toMatchObject({ code: 'ERR_AUTH_LOGIN_TIMEOUT' })
    }
    // On a busy machine it may end before it has reached the service.
    expect(attempt.events.filter(({ type }) => type === 'login.start')).toHaveLength(1)
  })

  test('stays refused although others fail in between for reasons that pass', async () => {
    let turn = 0
    const credentials = () => ({ ...primary, password: (turn += 1) % 2 ? 'wrong' : 'other' })
    const attempt = await service({ credentials })
    const { auth, emulator, events } = attempt
    await expect(auth.getToken()).rejects.toMatchObject({ status: 401 })
    emulator.fault({ path: '/user/login', status: 503 })
    for (let call = 0; call < 6; call += 1)
      await expect(auth.getToken()).rejects.toThrow('returned status')
    const refusals = events.filter((event) => event.type === 'login.failed' && event.status === 401)
    expect(refusals).toHaveLength(1)
  })

  test('is not asked for by taking turns between credentials that are refused', async () => {
    let turn = 0
    const passwords = ['wrong', 'wrong too']
    const credentials = () => ({ ...primary, password: passwords[(turn += 1) % 2] ?? '' })
    const attempt = await service({ credentials })
    for (let call = 0; call < 20; call += 1) {
      await expect(attempt.auth.getToken()).rejects.toMatchObject({ status: 401 })
    }
    expect(loginRequests(attempt)).toBe(2)
  })

  test('is asked for again once the clock that was ahead is set right', async () => {
    const attempt = await service({ random: () => 0.5 })
    attempt.time.now += 4 * 365 * 24 * 3_600_000
    const fault = attempt.emulator.fault({ path: '/user/login', status: 401 })
    await expect(attempt.auth.getToken()).rejects.toMatchObject({ status: 401 })
    fault.clear()
    attempt.time.now -= 4 * 365 * 24 * 3_600_000
    expect(await attempt.auth.getToken()).toMatch(/^eyJ/)
  })

  test('is asked for again after invalidate', async () => {
    const attempt = await service({ credentials: { ...primary, password: 'wrong' } })
    await expect(attempt.auth.getToken()).rejects.toThrow('401')
    await attempt.auth.invalidate()
    await expect(attempt.auth.getToken()).rejects.toThrow('401')
    expect(loginRequests(attempt)).toBe(2)
  })

  test.each([
    ['429 and seconds', 429, '120', 120_000],
    ['503 and more than the cap', 503, '86400', 900_000],
  ])('waits as Retry-After says: %s', async (_what, status, retryAfter, waitMs) => {
    const { auth, emulator, time } = await service()
    emulator.fault({
      path: '/user/login',
      status,
      headers: { 'retry-after': retryAfter },
      times: 1,
    })
    await expect(auth.getToken()).rejects.toMatchObject({ status, retryAt: time.now + waitMs })
    await expect(auth.getToken()).rejects.toMatchObject({ status })
    time.now += waitMs
    expect(await auth.getToken()).toMatch(/^eyJ/)
    expect(emulator.logins).toBe(1)
  })
})
