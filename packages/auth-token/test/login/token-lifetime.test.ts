import fc from 'fast-check'
import { SignJWT } from 'jose'
import { describe, expect, test } from 'vitest'
import { serviceLifetimeMs, tokenLifetime as lifetimeOf } from '../testing.ts'
import { service } from '../support/service.ts'

const day = 86_400_000
const tokenLifetime = (token: string, serverTime: number | undefined) =>
  lifetimeOf(token, serverTime, serviceLifetimeMs)
const hour = 3_600_000
const now = 1_800_000_000
const serverTimeMs = now * 1000
const jwt = (claims: unknown): string =>
  `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`

describe('the lifetime of a token', () => {
  test.each<[what: string, claims: unknown, lifetimeMs: number]>([
    ['exp − iat where that is less', { iat: now, exp: now + 3600 }, 3_600_000],
    ['exp − iat where iat is ahead', { iat: now + 7200, exp: now + 10_800 }, 3_600_000],
    ['exp against the server where that is less', { iat: now - 7200, exp: now + 14_400 }, 4 * hour],
    ['exp against the server where there is no iat', { exp: now + 3600 }, hour],
    ['exp against the server where iat lies after it', { iat: 2e9, exp: now + 3600 }, hour],
    ['exp against the server where iat is no earlier', { iat: now + 60, exp: now + 60 }, 60_000],
    [
      'exp − iat, whatever characters the payload has',
      { sub: '>>>???~~~', iat: now, exp: now + 61 },
      61_000,
    ],
    ['exp − iat of a few seconds', { iat: now, exp: now + 20 }, 20_000],
    ['a minute, where it is less than a second', { iat: now, exp: now + 0.5 }, 60_000],
    ['10 years, the longest that is believed', { iat: 1000, exp: 9e10 }, 3650 * day],
    ['24 h without exp', { iat: 1000 }, day],
    ['24 h where exp is text', { iat: 1000, exp: '4600' }, day],
    ['24 h where exp is negative', { exp: -1 }, day],
    ['24 h where exp is in milliseconds', { exp: serverTimeMs + 60_000 }, day],
    ['24 h where exp is the first second that is no date', { exp: 1e11 }, day],
    ['24 h where exp is beyond all numbers', { exp: 2 ** 60 }, day],
    ['24 h where the payload is a list', [], day],
  ])('is %s', (_what, claims, lifetimeMs) => {
    expect(tokenLifetime(jwt(claims), serverTimeMs)).toBe(lifetimeMs)
  })

  test.each<[what: string, claims: unknown, lifetimeMs: number]>([
    ['half of it left', { iat: now - 3600, exp: now + 3600 }, hour],
    ['just less than half of it left', { iat: now - 3601, exp: now + 3600 }, 7_201_000],
    ['nothing left', { iat: now - 7200, exp: now - 3600 }, hour],
    ['nothing left since the epoch, and no iat', { exp: 0 }, 60_000],
  ])('goes by exp − iat once the server’s time leaves less than half: %s', (_what, claims, ms) => {
    expect(tokenLifetime(jwt(claims), serverTimeMs)).toBe(ms)
  })

  test('is exp − iat where the time of the server is not known', () => {
    expect(tokenLifetime(jwt({ iat: 1000, exp: 4600 }), undefined)).toBe(hour)
  })

  test('is 24 h where neither the token nor the server says when it was issued', () => {
    expect(tokenLifetime(jwt({ exp: 4600 }), undefined)).toBe(day)
  })

  test.each(['.', '!', 'e30.'])('is 24 h where %s stands before or after a JWT', (text) => {
    const token = jwt({ iat: 1000, exp: 4600 })
    expect(tokenLifetime(`${text}${token}`, serverTimeMs)).toBe(day)
    expect(tokenLifetime(`${token}${text}`, serverTimeMs)).toBe(day)
  })

  test('is that of a JWT made by jose', async () => {
    const token = await new SignJWT({ name: 'ü' })
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuedAt(1_700_000_000)
      .setExpirationTime(1_700_003_600)
      .sign(new TextEncoder().encode('a key of at least 32 bytes in length'))
    expect(tokenLifetime(token, undefined)).toBe(3_600_000)
  })

  test('is a number for any text, never an exception', () => {
    const payload = fc
      .oneof(fc.json(), fc.string())
      .map((text) => Buffer.from(text).toString('base64url'))
    const texts = fc.oneof(
      fc.string(),
      payload.map((part) => `a.${part}.c`),
    )
    fc.assert(
      fc.property(texts, (text) => {
        expect(tokenLifetime(text, serverTimeMs)).toBeLessThanOrEqual(3650 * day)
      }),
    )
  })

  test('of 1 MiB of something is no trouble', () => {
    const large = `a.${'A'.repeat(2 ** 20)}.c`
    expect(tokenLifetime(large, serverTimeMs)).toBe(day)
  })
})

describe('a session', () => {
  test('logs in again where the token has expired, and not before', async () => {
    const { fetch, groups, emulator, time } = await service({ renewBeforeMs: 0 })
    await fetch(groups)
    time.now += day - 1
    await fetch(groups)
    expect(emulator.logins).toBe(1)
    time.now += 1
    expect((await fetch(groups)).status).toBe(200)
    expect(emulator.logins).toBe(2)
  })

  test.each([3_600_000, -3_600_000])(
    'is not misled by a clock that is off by %i ms',
    async (offMs) => {
      const { fetch, groups, emulator, time, auth } = await service()
      emulator.fault({ skewMs: offMs })
      await fetch(groups)
      await fetch(groups)
      expect(emulator.logins).toBe(1)
      expect(auth.inspect()).toMatchObject({ state: 'valid', expiresAt: time.now + day })
    },
  )

  test('renews ahead of the expiry while callers go on with the old token', async () => {
    const { fetch, groups, emulator, time, auth } = await service()
    await fetch(groups)
    time.now += day - 600_000
    emulator.fault({ path: '/user/login', latencyMs: 20, times: 1 })
    const responses = await Promise.all([fetch(groups), fetch(groups), fetch(groups)])
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200])
    while (auth.inspect().generation < 2) await new Promise(setImmediate)
    expect(emulator.logins).toBe(2)
  })

  test('goes on with a valid token where the renewal fails, and says so in an event', async () => {
    const { fetch, groups, emulator, time, events } = await service()
    await fetch(groups)
    time.now += day - 600_000
    emulator.fault({ path: '/user/login', status: 500 })
    expect((await fetch(groups)).status).toBe(200)
    while (!events.some(({ type }) => type === 'login.failed')) await new Promise(setImmediate)
    expect((await fetch(groups)).status).toBe(200)
  })
})
