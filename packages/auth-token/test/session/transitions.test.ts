import { AuthError } from '@svc/auth-hooks'
import { describe, expect, test } from 'vitest'
import {
  initialState,
  invalidated,
  isAhead,
  isCurrent,
  loginFailed,
  loginGivenUp,
  loginLatched,
  loginStarted,
  loginSucceeded,
  nextStep,
  type SessionState,
  tokenRejected,
} from '../../src/token.ts'

const timeoutMs = 1000
const random = (): number => 0
const grant = { value: 'token', lifetimeMs: 100_000 }
const renewBeforeMs = 10_000
const refused = new AuthError('ERR_AUTH_LOGIN_REFUSED', 'refused', { status: 401 })
const network = new AuthError('ERR_AUTH_LOGIN_NETWORK', 'network')

const loggedIn = (now: number, state: SessionState = initialState): SessionState =>
  loginSucceeded(loginStarted(state, now), grant, renewBeforeMs, now, random)
const step = (state: SessionState, now: number): string => nextStep(state, now, timeoutMs).name

describe('a session', () => {
  test('that is empty logs in, and others wait until the login is overdue', () => {
    expect(initialState.name).toBe('empty')
    expect(step(initialState, 0)).toBe('log-in')
    const pending = loginStarted(initialState, 0)
    expect(pending.name).toBe('logging-in')
    expect(step(pending, timeoutMs - 1)).toBe('wait')
    expect(step(pending, timeoutMs)).toBe('log-in')
  })

  test('waits for its last login alone, and for none that has ended', () => {
    const first = loginStarted(initialState, 0)
    const second = loginStarted(first, 1)
    expect(second.attempt).toBeGreaterThan(first.attempt)
    expect(isCurrent(first, first.attempt)).toBe(true)
    expect(isCurrent(second, first.attempt)).toBe(false)
    expect(isCurrent(second, second.attempt)).toBe(true)
    expect(isCurrent(loginGivenUp(second), second.attempt)).toBe(false)
  })

  test('takes an instant that is further ahead than it can be as one of a clock that was set back', () => {
    expect(isAhead(1001, 1000, 500)).toBe(true)
    expect(isAhead(1000, 1000, 500)).toBe(false)
    expect(isAhead(6500, 1000, 500)).toBe(true)
    expect(isAhead(6501, 1000, 500)).toBe(false)
  })

  test('with a token uses it until it expires, and renews it ahead', () => {
    const state = loggedIn(0)
    expect(state).toMatchObject({ name: 'valid', token: { isAdopted: false } })
    expect(nextStep(state, 89_999, timeoutMs)).toMatchObject({ name: 'use', renewal: 'none' })
    expect(nextStep(state, 90_000, timeoutMs)).toMatchObject({ name: 'use', renewal: 'due' })
    expect(step(state, 100_000)).toBe('log-in')
    const renewing = loginStarted(state, 90_000)
    expect(renewing.name).toBe('renewing')
    expect(nextStep(renewing, 90_001, timeoutMs)).toMatchObject({
      name: 'use',
      renewal: 'pending',
    })
    expect(nextStep(loginGivenUp(renewing), 90_001, timeoutMs)).toMatchObject({ renewal: 'due' })
  })

  test('presses for a renewal once half of the time that was left for it is over', () => {
    const state = loggedIn(0)
    expect(nextStep(state, 94_999, timeoutMs)).toMatchObject({ renewal: 'due' })
    expect(nextStep(state, 95_000, timeoutMs)).toMatchObject({ renewal: 'pressing' })
  })

  test('counts its tokens on from the number that a store gave', () => {
    const adopted = loginSucceeded(initialState, { ...grant, generation: 7 }, 1, 0, random)
    expect(adopted.generation).toBe(7)
    expect(loggedIn(1, adopted).generation).toBe(8)
    const older = { ...grant, generation: 3 }
    expect(loginSucceeded(adopted, older, 1, 0, random).generation).toBe(8)
  })

  test('renews later by chance, never later than half of the time ahead', () => {
    const state = loginSucceeded(loginStarted(initialState, 0), grant, renewBeforeMs, 0, () => 1)
    expect(state.token.renewAt).toBe(95_000)
  })

  test('renews at half of a lifetime that is shorter than the time ahead', () => {
    const short = { ...grant, lifetimeMs: 1000 }
    expect(loginSucceeded(initialState, short, renewBeforeMs, 0, random).token.renewAt).toBe(500)
  })

  test('that was refused its credentials fails at once, for longer each time, up to 15 minutes', () => {
    let state: SessionState = initialState
    let now = 0
    const waits: number[] = []
    for (let attempt = 0; attempt < 7; attempt += 1) {
      state = loginFailed(loginStarted(state, now), refused, now, random)
      expect(state.name).toBe('latched')
      const retryAt = state.pause?.retryAt ?? 0
      waits.push((retryAt - now) / 1000)
      expect(step(state, retryAt - 1)).toBe('fail')
      expect(step(state, retryAt)).toBe('log-in')
      now = retryAt
    }
    expect(waits).toEqual([30, 60, 120, 240, 480, 900, 900])
  })

  test('waits by a clock that is beyond every date, too', () => {
    const now = 9e15
    const { pause } = loginFailed(loginStarted(initialState, now), refused, now, random)
    expect(pause?.error).toMatchObject({ code: refused.code, retryAt: now + 30_000 })
  })

  test('takes over the refusals that another session counted', () => {
    const before = loginStarted(initialState, 0)
    const state = loginLatched(before, { refusals: 3, retryAt: 5000 }, refused)
    expect(nextStep(state, 4999, timeoutMs)).toMatchObject({
      name: 'fail',
      pause: { retryAt: 5000 },
    })
    expect(step(state, 5000)).toBe('log-in')
    const again = loginFailed(loginStarted(state, 5000), refused, 5000, random)
    expect(again.pause?.retryAt).toBe(5000 + 240_000)
    const renewing = loginStarted(loggedIn(0), 90_000)
    const kept = loginLatched(renewing, { refusals: 1, retryAt: 200_000 }, refused)
    expect(step(kept, 90_001)).toBe('use')
  })

  test('lets one caller try again at once after a network error, and pauses after the second', () => {
    const once = loginFailed(loginStarted(initialState, 0), network, 0, () => 1)
    expect(once).toMatchObject({ name: 'empty', pause: undefined })
    expect(step(once, 0)).toBe('log-in')
    const twice = loginFailed(loginStarted(once, 0), network, 0, () => 1)
    expect(step(twice, 499)).toBe('fail')
    expect(step(twice, 500)).toBe('log-in')
  })

  test('keeps a valid token where its renewal fails', () => {
    const state = loginFailed(loginStarted(loggedIn(0), 90_000), refused, 90_000, random)
    expect(nextStep(state, 90_001, timeoutMs)).toMatchObject({ name: 'use', renewal: 'none' })
    expect(state.name).toBe('valid')
    expect(step(state, 100_000)).toBe('fail')
  })

  test('fails with what happened and why, and says when it makes sense to try again', () => {
    const cause = new Error('connection refused')
    const failures = { none: network, cause: new AuthError(network.code, 'network', { cause }) }
    const errorAfter = (failure: AuthError): AuthError | undefined =>
      loginFailed(loginStarted(loggedIn(0), 1), failure, 1, () => 1).pause?.error
    expect(errorAfter(failures.cause)).toMatchObject({
      code: network.code,
      message: 'network; not retried before 1970-01-01T00:00:00.501Z',
      retryAt: 501,
      cause,
    })
    expect(errorAfter(failures.none)).not.toHaveProperty('cause')
  })

  test('drops the token that was refused, and not a newer one', () => {
    const second = loggedIn(1, loggedIn(0))
    expect(tokenRejected(second, 1, false, 2)).toBe(second)
    const dropped = tokenRejected(second, 2, false, 2)
    expect(dropped && step(dropped, 2)).toBe('log-in')
  })

  test('waits for the renewal that is under way where the token is refused meanwhile', () => {
    const renewing = loginStarted(loggedIn(0), 90_000)
    const state = tokenRejected(renewing, 1, false, 90_001)
    expect(state).toMatchObject({ name: 'logging-in', startedAt: 90_000, attempt: 2 })
    expect(state).not.toHaveProperty('token')
    expect(state && step(state, 90_002)).toBe('wait')
  })

  test('replaces tokens that are refused by one address after the other ever more slowly', () => {
    let state: SessionState = loggedIn(0)
    let now = 0
    const holds: number[] = []
    for (let round = 0; round < 8; round += 1) {
      const before = now
      const refuse = (at: number) => tokenRejected(state, state.generation, false, at)
      while (!refuse(now)) now += 1000
      holds.push((now - before) / 1000)
      state = loggedIn(now, refuse(now))
    }
    expect(holds).toEqual([0, 1, 2, 4, 8, 16, 30, 30])
  })

  test('replaces a token at once that the same address took before, or that has had its time', () => {
    const second = loggedIn(0, tokenRejected(loggedIn(0), 1, false, 0))
    expect(tokenRejected(second, 2, false, 0)).toBeUndefined()
    const dropped = tokenRejected(second, 2, true, 0)
    expect(dropped).toMatchObject({ name: 'empty', replacements: 2 })
    expect(tokenRejected(second, 2, false, 60_000)).toMatchObject({ replacements: 1 })
  })

  test('replaces a token although the clock was set back since it came', () => {
    const second = loggedIn(100_000, tokenRejected(loggedIn(100_000), 1, false, 100_000))
    expect(tokenRejected(second, 2, false, 0)).toBeDefined()
  })

  test('takes over what is known of a token of another session', () => {
    const adopted = { issuedAt: 5, replacements: 3 }
    const state = loginSucceeded(initialState, { ...grant, adopted }, 1, 2000, random)
    expect(state.token).toMatchObject({ issuedAt: 5, replacements: 3, isAdopted: true })
    expect(tokenRejected(state, 1, false, 4004)).toBeUndefined()
    expect(tokenRejected(state, 1, false, 4005)).toBeDefined()
    const ahead = { ...grant, adopted: { issuedAt: 9000, replacements: 0 } }
    expect(loginSucceeded(initialState, ahead, 1, 2000, random).token.issuedAt).toBe(2000)
  })

  test('forgets token and latch where it is invalidated, and keeps counting', () => {
    const latched = loginFailed(loginStarted(loggedIn(0), 0), refused, 0, random)
    const state = invalidated(latched)
    expect(step(state, 0)).toBe('log-in')
    expect(loggedIn(0, state).generation).toBe(2)
  })
})
