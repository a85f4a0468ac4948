import { AuthError } from '@svc/auth-hooks'
import { describe, expect, test } from 'vitest'
import { mayBeRefusal, lockoutMs, passingPauseMs } from '../testing.ts'

const refused = (status: number): AuthError =>
  new AuthError('ERR_AUTH_LOGIN_REFUSED', 'refused', { status })
const network = new AuthError('ERR_AUTH_LOGIN_NETWORK', 'network')
const latest = (): number => 1

describe('a failed login', () => {
  test.each([400, 401, 402, 403, 407, 409, 410, 412, 416, 418, 422, 423, 424, 428, 451, 498])(
    'with the response %i may have been refused for its credentials',
    (status) => {
      expect(mayBeRefusal(refused(status))).toBe(true)
    },
  )

  test.each([
    'ERR_AUTH_LOGIN_NO_TOKEN',
    'ERR_AUTH_LOGIN_BAD_TOKEN',
    'ERR_AUTH_LOGIN_TOO_LARGE',
  ] as const)('with %s may have been refused for its credentials', (code) => {
    expect(mayBeRefusal(new AuthError(code, 'no token', { status: 200 }))).toBe(true)
  })

  test('with no token from a client that nothing is known of may have been refused for its credentials', () => {
    expect(mayBeRefusal(new AuthError('ERR_AUTH_LOGIN_NO_TOKEN', 'no token'))).toBe(true)
  })

  test.each([404, 405, 406, 408, 411, 413, 414, 415, 421, 425, 426, 429, 431, 500, 503, 599])(
    'with the response %i says nothing of the credentials',
    (status) => {
      expect(mayBeRefusal(refused(status))).toBe(false)
    },
  )

  test.each([
    network,
    new AuthError('ERR_AUTH_LOGIN_TIMEOUT', 'late'),
    new AuthError('ERR_AUTH_LOGIN_REDIRECT', 'redirected', { status: 302 }),
    new AuthError('ERR_AUTH_LOGIN_REDIRECT', 'redirected, as a browser tells it'),
    new AuthError('ERR_AUTH_LOGIN_NOT_JSON', 'HTML', { status: 200 }),
  ])('that got no response of a login says nothing of the credentials: %s', (failure) => {
    expect(mayBeRefusal(failure)).toBe(false)
  })

  test('for a reason that passes may be made again at once, and then waits longer each time', () => {
    const waits = [1, 2, 3, 4].map((count) => passingPauseMs(count, latest))
    expect(waits).toEqual([0, 500, 1000, 2000])
    expect(passingPauseMs(100, latest)).toBe(60_000)
    expect(passingPauseMs(100, () => 0.25)).toBe(15_000)
  })

  test('that was refused waits longer each time, and leaves nothing to chance', () => {
    const seconds = [1, 2, 3, 4, 5, 6, 7].map((count) => lockoutMs(count) / 1000)
    expect(seconds).toEqual([30, 60, 120, 240, 480, 900, 900])
  })
})
