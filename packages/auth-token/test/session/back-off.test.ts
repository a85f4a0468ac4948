import { AuthError } from '@svc/auth-hooks'
import { describe, expect, test } from 'vitest'
import { isCredentialError, lockoutDelayMs, pauseMs, replacementDelayMs } from '../testing.ts'

const refused = (status: number): AuthError =>
  new AuthError('ERR_AUTH_LOGIN_REFUSED', 'refused', { status })
const network = new AuthError('ERR_AUTH_LOGIN_NETWORK', 'network')
const latest = (): number => 1

describe('a failed login', () => {
  test.each([400, 401])('with the response %i was refused for its credentials', (status) => {
    expect(isCredentialError(refused(status))).toBe(true)
  })

  test.each([403, 404, 429, 500, 503])(
    'with the response %i says nothing of the credentials',
    (status) => {
      expect(isCredentialError(refused(status))).toBe(false)
    },
  )

  test('that was no refusal says nothing of the credentials, whatever its status', () => {
    expect(
      isCredentialError(new AuthError('ERR_AUTH_LOGIN_TOO_LARGE', 'large', { status: 401 })),
    ).toBe(false)
  })

  test.each([
    ['a network error', network],
    ['500', refused(500)],
    ['503', refused(503)],
    ['a redirect', new AuthError('ERR_AUTH_LOGIN_REDIRECT', 'redirected', { status: 302 })],
  ])('with %s may be made again at once while callers wait, and only then', (_what, failure) => {
    expect([1, 2, 3].map((count) => pauseMs(failure, count, true, latest))).toEqual([0, 500, 1000])
    expect([1, 2, 3].map((count) => pauseMs(failure, count, false, latest))).toEqual([
      500, 1000, 2000,
    ])
  })

  test.each([402, 403, 429, 499])('with %i waits, whether or not callers do', (status) => {
    for (const isAwaited of [true, false]) {
      expect(pauseMs(refused(status), 1, isAwaited, latest)).toBe(500)
    }
  })

  test('with a response of 400 that is too large waits, whether or not callers do', () => {
    const large = new AuthError('ERR_AUTH_LOGIN_TOO_LARGE', 'large', { status: 400 })
    expect([true, false].map((isAwaited) => pauseMs(large, 1, isAwaited, latest))).toEqual([
      500, 500,
    ])
  })

  test('waits for a minute at most, and by chance for less', () => {
    expect(pauseMs(network, 100, false, latest)).toBe(60_000)
    expect(pauseMs(network, 100, false, () => 0.25)).toBe(15_000)
  })

  test('for its credentials waits for as long as others would, and leaves nothing to chance', () => {
    expect(pauseMs(refused(401), 2, true, () => 0)).toBe(lockoutDelayMs(2))
    expect([1, 2, 5, 6, 100].map(lockoutDelayMs)).toEqual([
      30_000, 60_000, 480_000, 900_000, 900_000,
    ])
  })
})

test('a token that replaced none is replaced at once, and others after up to half a minute', () => {
  expect([-5, 0, 1, 2, 5, 6, 100].map(replacementDelayMs)).toEqual([
    0, 0, 1000, 2000, 16_000, 30_000, 30_000,
  ])
})
