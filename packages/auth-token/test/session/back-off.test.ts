import { AuthError } from '@svc/auth-hooks'
import { describe, expect, test } from 'vitest'
import { isRefusal, pauseMs, replacementDelayMs } from '../testing.ts'

const refused = (status: number): AuthError =>
  new AuthError('ERR_AUTH_LOGIN_REFUSED', 'refused', { status })
const network = new AuthError('ERR_AUTH_LOGIN_NETWORK', 'network')
const latest = (): number => 1

describe('a failed login', () => {
  test.each([400, 401, 402, 403, 407, 409, 410, 412, 416, 418, 422, 423, 424, 428, 451, 498])(
    'with the response %i may have been refused for its credentials',
    (status) => {
      expect(isRefusal(refused(status))).toBe(true)
    },
  )

  test.each([
    'ERR_AUTH_LOGIN_NO_TOKEN',
    'ERR_AUTH_LOGIN_BAD_TOKEN',
    'ERR_AUTH_LOGIN_TOO_LARGE',
  ] as const)('with %s may have been refused for its credentials', (code) => {
    expect(isRefusal(new AuthError(code, 'no token', { status: 200 }))).toBe(true)
  })

  test.each([404, 405, 406, 408, 411, 413, 414, 415, 421, 425, 426, 429, 431, 500, 503, 599])(
    'with the response %i says nothing of the credentials',
    (status) => {
      expect(isRefusal(refused(status))).toBe(false)
    },
  )

  test.each([
    network,
    new AuthError('ERR_AUTH_LOGIN_TIMEOUT', 'late'),
    new AuthError('ERR_AUTH_LOGIN_REDIRECT', 'redirected', { status: 302 }),
    new AuthError('ERR_AUTH_LOGIN_REDIRECT', 'redirected, as a browser tells it'),
    new AuthError('ERR_AUTH_LOGIN_NOT_JSON', 'HTML', { status: 200 }),
  ])('that got no response of a login says nothing of the credentials: %s', (failure) => {
    expect(isRefusal(failure)).toBe(false)
  })

  test.each([
    ['a network error', network],
    ['500', refused(500)],
    ['503', refused(503)],
  ])('with %s may be made again at once while callers wait, and only then', (_what, failure) => {
    expect([1, 2, 3].map((count) => pauseMs(failure, count, true, latest))).toEqual([0, 500, 1000])
    expect([1, 2, 3].map((count) => pauseMs(failure, count, false, latest))).toEqual([
      500, 1000, 2000,
    ])
  })

  test.each([408, 425, 429])('with %i waits, whether or not callers do', (status) => {
    for (const isAwaited of [true, false]) {
      expect(pauseMs(refused(status), 1, isAwaited, latest)).toBe(500)
    }
  })

  test.each([
    ['401', refused(401), [30, 60, 120, 240, 480, 900, 900]],
    ['422', refused(422), [30, 60, 120, 240, 480, 900, 900]],
    ['403', refused(403), [5, 10, 20, 40, 80, 160, 320, 640, 900, 900]],
    ['404', refused(404), [5, 10, 20, 40, 60, 60]],
    ['a redirect', new AuthError('ERR_AUTH_LOGIN_REDIRECT', 'redirected'), [5, 10, 20, 40, 60, 60]],
  ])('with %s waits longer each time, and leaves nothing to chance', (_what, failure, seconds) => {
    for (const isAwaited of [true, false]) {
      const waits = seconds.map((_, index) => pauseMs(failure, index + 1, isAwaited, () => 0))
      expect(waits).toEqual(seconds.map((second) => second * 1000))
    }
  })

  test('waits for a minute at most, and by chance for less', () => {
    expect(pauseMs(network, 100, false, latest)).toBe(60_000)
    expect(pauseMs(network, 100, false, () => 0.25)).toBe(15_000)
  })
})

test('a token that replaced none is replaced at once, and others the sooner the better the prospects', () => {
  const replacements = [-5, 0, 1, 2, 3, 4, 100]
  const delaysIf = (prospect: 'good' | 'fair' | 'bad'): number[] =>
    replacements.map((count) => replacementDelayMs(count, prospect))
  expect(delaysIf('good')).toEqual([0, 0, 1000, 2000, 4000, 4000, 4000])
  expect(delaysIf('fair')).toEqual(delaysIf('good'))
  expect(delaysIf('bad')).toEqual([0, 0, 30_000, 30_000, 30_000, 30_000, 30_000])
})
