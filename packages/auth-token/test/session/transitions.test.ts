import { AuthError } from '@svc/auth-hooks'
import type { TokenAuthOptions } from '@svc/auth-token'
import { describe, expect, test } from 'vitest'
import { primary, until } from '../support/service.ts'
import {
  createBackOff,
  createSession,
  isAhead,
  issueToken,
  type LoginOutcome,
  noteRefused,
  readTokenAuthOptions,
  readUserCredentials,
  type SessionCredentials,
  type SessionUser,
  type SharedTokenStore,
  sharingFactory,
} from '../testing.ts'

const timeoutMs = 1000
const renewBeforeMs = 10_000
const lifetimeMs = 100_000
const random = (): number => 0
const grant = { value: 'token', lifetimeMs }
const none = { generation: 0, replacements: 0 }
const refused = new AuthError('ERR_AUTH_LOGIN_REFUSED', 'refused', { status: 401 })
const network = new AuthError('ERR_AUTH_LOGIN_NETWORK', 'network')
const loginUrl = new URL('https://search.example.com/user/login')
const about = { name: 'token', origin: loginUrl.origin }
const target = 'GET https://search.example.com/user/groups'

/** The record of a session no token of which was accepted or refused. */
const nothingYet = () => ({ count: 0, accepting: new Set<string>() })

/** A session whose clock and whose logins the test decides. */
function sessionAt(now: number, options: Partial<TokenAuthOptions> = {}) {
  const time = { now }
  let logins = 0
  let respond = async (): Promise<Response> => issued()
  const issued = (): Response => {
    const payload = JSON.stringify({ iat: logins, exp: logins + lifetimeMs / 1000 })
    return Response.json({ Token: `e30.${Buffer.from(payload).toString('base64url')}.` })
  }
  const settings = readTokenAuthOptions({
    baseUrl: loginUrl.origin,
    credentials: primary,
    clock: () => time.now,
    random,
    renewBeforeMs,
    loginTimeoutMs: timeoutMs,
    fetch: () => {
      logins += 1
      return respond()
    },
    ...options,
  })
  const { credentials, onEvent, waitUntil } = settings
  const readCredentials = typeof credentials === 'function' ? credentials : undefined
  const user: SessionUser = { onEvent, waitUntil, readCredentials }
  // They are usable.
  const own = readUserCredentials(primary) as SessionCredentials
  const created = createSession(settings.ofSession, own)
  const session = {
    ...created,
    async token() {
      const found = await created.token(user)
      if (found.kind === 'moved') throw new Error('the credentials have changed')
      return found.token
    },
    tokenAtHand: (singleUse: boolean) => created.tokenAtHand(user, singleUse),
    /** A request with the token at hand, from its beginning to its end. */
    request() {
      const held = created.tokenAtHand(user, false)
      if (!held) return undefined
      created.requestBegan(held.generation)
      created.requestEnded(user, held.generation)
      return held
    },
    rejected: (generation: number, status: number, url: string) =>
      created.rejected(user, generation, status, url),
    invalidate: () => created.invalidate(user, created.report().generation),
  }
  return {
    ...session,
    time,
    logins: () => logins,
    /** Decides the responses to logins from now on; `undefined` for a token. */
    respondsWith(next: (() => Promise<Response>) | undefined) {
      respond = next ?? (async () => issued())
    },
    /** A login that ends when it is told to. */
    hangs() {
      let end = (): void => {}
      respond = () => new Promise((resolve) => (end = () => resolve(issued())))
      return () => end()
    },
    /** Lets a login come as far as it can. */
    settle: () => new Promise(setImmediate),
    /** Tells the fate of a caller who needs a token now. */
    async caller(): Promise<'logs in' | 'fails' | 'waits' | 'has a token'> {
      const before = logins
      if (session.request()) return 'has a token'
      let error: unknown
      session.token().catch((reason: unknown) => (error = reason))
      await new Promise(setImmediate)
      if (logins > before) return 'logs in'
      return error ? 'fails' : 'waits'
    },
  }
}

const responses = {
  401: async () => new Response(null, { status: 401 }),
  never: () => new Promise<Response>(() => {}),
  cutOff: () => Promise.reject(new TypeError('cut off')),
}

describe('a session', () => {
  test('that is empty logs in, and others wait for that login', async () => {
    const session = sessionAt(0)
    session.respondsWith(responses.never)
    expect(session.report().state).toBe('empty')
    expect(await session.caller()).toBe('logs in')
    expect(session.report().state).toBe('logging-in')
    session.time.now = timeoutMs
    expect(await session.caller()).toBe('waits')
  })

  test('waits for its last login alone, and for none that has ended', async () => {
    let areUsable = true
    const credentials = (): typeof primary => (areUsable ? primary : { ...primary, password: '' })
    const session = sessionAt(0, { credentials })
    const endFirst = session.hangs()
    const first = session.token()
    await session.settle()
    session.invalidate()
    const endSecond = session.hangs()
    const second = session.token()
    await session.settle()
    endFirst()
    await session.settle()
    expect(session.report()).toEqual({ state: 'logging-in', generation: 0 })
    endSecond()
    expect(await second).toMatchObject({ generation: 1 })
    expect(await first).toMatchObject({ generation: 1 })
    expect(session.report()).toMatchObject({ state: 'valid', generation: 1 })

    session.invalidate()
    areUsable = false
    await expect(session.token()).rejects.toMatchObject({ code: 'ERR_AUTH_CREDENTIALS' })
    expect(session.report().state).toBe('empty')
    areUsable = true
    expect(await session.caller()).toBe('logs in')
  })

  test('takes an instant that is further ahead than it can be as one of a clock that was set back', () => {
    expect(isAhead(1001, 1000, 500)).toBe(true)
    expect(isAhead(1000, 1000, 500)).toBe(false)
    expect(isAhead(6500, 1000, 500)).toBe(true)
    expect(isAhead(6501, 1000, 500)).toBe(false)
  })

  test('with a token uses it until it expires, and renews it ahead', async () => {
    let asked = 0
    let areUsable = true
    const session = sessionAt(0, {
      credentials: () => {
        asked += 1
        return areUsable ? primary : { ...primary, password: '' }
      },
    })
    expect(await session.token()).toMatchObject({ isAdopted: false, generation: 1 })
    expect(session.report().state).toBe('valid')
    const use = async (now: number): Promise<number> => {
      session.time.now = now
      expect(session.request()).toMatchObject({ generation: 1 })
      await session.settle()
      return asked
    }
    expect(await use(89_999)).toBe(1)
    // One that cannot be made is due again.
    areUsable = false
    expect(await use(90_000)).toBe(2)
    areUsable = true
    session.respondsWith(responses.never)
    expect(await use(90_001)).toBe(3)
    expect(session.report().state).toBe('valid')
    expect(await use(90_002)).toBe(3)
    session.time.now = 100_000
    expect(await session.caller()).toBe('waits')
  })

  test('presses for a renewal once half of the time that was left for it is over', async () => {
    const session = sessionAt(0)
    await session.token()
    // A request with the token is under way, for which a renewal that is due waits.
    session.requestBegan(1)
    session.time.now = 94_999
    expect(await session.caller()).toBe('has a token')
    await session.settle()
    expect(session.logins()).toBe(1)
    session.time.now = 95_000
    expect(await session.caller()).toBe('has a token')
    await until(() => session.report().generation === 2)
    expect(session.logins()).toBe(2)
  })

  test('counts its tokens on from the number that a store gave', () => {
    const issue = (generation: number, given?: number): number =>
      issueToken({ ...grant, generation: given }, { ...none, generation }, 1, 0, random).generation
    expect(issue(0, 7)).toBe(7)
    expect(issue(7)).toBe(8)
    expect(issue(7, 3)).toBe(8)
  })

  test('renews later by chance, never later than half of the time ahead', () => {
    expect(issueToken(grant, none, renewBeforeMs, 0, () => 1).renewAt).toBe(95_000)
  })

  test('renews at half of a lifetime that is shorter than the time ahead', () => {
    const short = { ...grant, lifetimeMs: 1000 }
    expect(issueToken(short, none, renewBeforeMs, 0, random).renewAt).toBe(500)
  })

  test('that was refused its credentials fails at once, for longer each time, up to 15 minutes', async () => {
    const session = sessionAt(0)
    session.respondsWith(responses[401])
    const waits: number[] = []
    for (let attempt = 0; attempt < 7; attempt += 1) {
      const { time } = session
      expect(await session.caller()).toBe('logs in')
      await until(() => session.report().state === 'paused')
      const { retryAt = 0 } = session.report()
      waits.push((retryAt - time.now) / 1000)
      time.now = retryAt - 1
      expect(await session.caller()).toBe('fails')
      time.now = retryAt
    }
    expect(waits).toEqual([30, 60, 120, 240, 480, 900, 900])
    expect(await session.caller()).toBe('logs in')
  })

  test('waits by a clock that is beyond every date, too', async () => {
    const now = 9e15
    const session = sessionAt(now)
    session.respondsWith(responses[401])
    await expect(session.token()).rejects.toMatchObject({
      code: refused.code,
      retryAt: now + 30_000,
    })
  })

  test('takes over the refusals that another session counted', async () => {
    let outcome: LoginOutcome = { name: 'issued', grant }
    const session = sessionAt(0, { store: sharedBy(async () => outcome) })
    const lockOut = (refusals: number, retryAt: number): void => {
      outcome = { name: 'locked-out', lockout: { refusals, retryAt }, error: refused, isOwn: false }
    }
    lockOut(3, 5000)
    await expect(session.token()).rejects.toMatchObject({ retryAt: 5000 })
    expect(session.report()).toMatchObject({ state: 'paused', retryAt: 5000 })
    session.time.now = 5000
    expect(session.report().state).toBe('empty')
    let now = 4999
    const alone = createBackOff({ clock: () => now, random, ...about })
    const lockout = { refusals: 3, retryAt: 5000 }
    alone.lockedOut({ lockout, error: refused, isOwn: false }, () => {})
    expect(alone.activePause(4999)).toMatchObject({ retryAt: 5000 })
    expect(alone.activePause(5000)).toBeUndefined()
    now = 5000
    expect(alone.noteFailed(refused, () => {})).toMatchObject({ retryAt: 5000 + 240_000 })

    outcome = { name: 'issued', grant }
    await session.token()
    lockOut(1, 200_000)
    session.time.now = 95_000
    expect(await session.caller()).toBe('has a token')
    await until(() => session.report().retryAt === 200_000)
    expect(await session.caller()).toBe('has a token')
  })

  test('lets one caller try again at once after a network error, and pauses after the second', async () => {
    const session = sessionAt(0, { random: () => 1 })
    session.respondsWith(responses.cutOff)
    await expect(session.token()).rejects.toMatchObject({ code: network.code })
    expect(session.report()).toEqual({ state: 'empty', generation: 0 })
    await expect(session.token()).rejects.toMatchObject({ retryAt: 500 })
    expect(session.logins()).toBe(2)
    session.time.now = 499
    expect(await session.caller()).toBe('fails')
    session.time.now = 500
    expect(await session.caller()).toBe('logs in')
  })

  test('keeps a valid token where its renewal fails', async () => {
    const session = sessionAt(0)
    await session.token()
    session.respondsWith(responses[401])
    session.time.now = 90_000
    expect(await session.caller()).toBe('has a token')
    await until(() => session.report().retryAt !== undefined)
    session.time.now = 90_001
    expect(await session.caller()).toBe('has a token')
    await session.settle()
    expect(session.logins()).toBe(2)
    expect(session.report().state).toBe('valid')
    session.time.now = 100_000
    expect(await session.caller()).toBe('fails')
  })

  test('fails with what happened and why, and says when it makes sense to try again', () => {
    const cause = new Error('connection refused')
    const failures = { none: network, cause: new AuthError(network.code, 'network', { cause }) }
    const errorAfter = (failure: AuthError): unknown => {
      const backOff = createBackOff({ clock: () => 1, random: () => 1, ...about })
      expect(backOff.noteFailed(failure, () => {})).toBe(failure)
      return backOff.noteFailed(failure, () => {})
    }
    expect(errorAfter(failures.cause)).toMatchObject({
      code: network.code,
      message: 'network; not retried before 1970-01-01T00:00:00.501Z',
      retryAt: 501,
      cause,
    })
    expect(errorAfter(failures.none)).not.toHaveProperty('cause')
  })

  test('drops the token that was refused, and not a newer one', async () => {
    const session = sessionAt(0)
    await session.token()
    session.invalidate()
    const second = await session.token()
    expect(second.generation).toBe(2)
    expect(session.rejected(1, 401, target)).toBe(true)
    expect(session.tokenAtHand(false)).toBe(second)
    expect(session.rejected(2, 401, target)).toBe(true)
    expect(await session.caller()).toBe('logs in')
  })

  test('waits for the renewal that is under way where the token is refused meanwhile', async () => {
    const session = sessionAt(0)
    await session.token()
    const end = session.hangs()
    session.time.now = 90_000
    expect(await session.caller()).toBe('has a token')
    await session.settle()
    session.time.now = 90_001
    expect(session.rejected(1, 401, target)).toBe(true)
    expect(session.report()).toEqual({ state: 'logging-in', generation: 1 })
    session.time.now = 90_002
    expect(await session.caller()).toBe('waits')
    end()
    expect(await session.token()).toMatchObject({ generation: 2 })
    expect(session.logins()).toBe(2)
  })

  test.each<[what: string, path: string | undefined, holds: number[]]>([
    ['of a service that never took one', undefined, [0, 1, 2, 4, 8, 16, 30, 30]],
    ['that another address took', 'one', [0, 1, 2, 4, 8, 16, 30, 30]],
    ['that this address took', target, [0, 1, 2, 4, 8, 16, 30, 30]],
  ])('replaces tokens %s ever more slowly', async (_what, took, holds) => {
    const session = sessionAt(0)
    const { time } = session
    await session.token()
    if (took) session.accepted(1, took)
    const held: number[] = []
    for (const _ of holds) {
      const { generation } = await session.token()
      const before = time.now
      while (!session.rejected(generation, 401, target)) time.now += 1000
      held.push((time.now - before) / 1000)
    }
    expect(held).toEqual(holds)
  })

  test('replaces a token at once that the same address took before, and begins anew after ten minutes', async () => {
    const session = sessionAt(0)
    await session.token()
    expect(session.rejected(1, 401, target)).toBe(true)
    const second = await session.token()
    expect(session.rejected(2, 401, target)).toBe(false)
    expect(noteRefused(nothingYet(), second, target, 999)).toBe(false)
    expect(noteRefused(nothingYet(), second, target, 1000)).toBe(true)
    session.accepted(2, target)
    expect(session.rejected(2, 401, target)).toBe(true)
    expect(session.report().state).toBe('empty')
    expect(await session.token()).toMatchObject({ replacements: 2 })
    session.time.now = 600_000
    session.respondsWith(undefined)
  })

  test('replaces a token although the clock was set back since it came', async () => {
    const session = sessionAt(100_000)
    await session.token()
    expect(session.rejected(1, 401, target)).toBe(true)
    await session.token()
    session.time.now = 0
    expect(session.rejected(2, 401, target)).toBe(true)
  })

  test('takes over what is known of a token of another session', () => {
    const adopted = { issuedAt: 5, replacements: 3 }
    const token = issueToken({ ...grant, adopted }, none, 1, 2000, random)
    expect(token).toMatchObject({ issuedAt: 5, replacements: 3, isAdopted: true })
    expect(noteRefused(nothingYet(), token, target, 4004)).toBe(false)
    expect(noteRefused(nothingYet(), token, target, 4005)).toBe(true)
    const ahead = { ...grant, adopted: { issuedAt: 9000, replacements: 0 } }
    expect(issueToken(ahead, none, 1, 2000, random).issuedAt).toBe(2000)
  })

  test('forgets token and pause where it is invalidated, and keeps counting', async () => {
    const session = sessionAt(0)
    await session.token()
    session.respondsWith(responses[401])
    session.time.now = 95_000
    session.tokenAtHand(false)
    await until(() => session.report().retryAt !== undefined)
    session.respondsWith(undefined)
    session.invalidate()
    expect(session.report()).toEqual({ state: 'empty', generation: 1 })
    expect(await session.caller()).toBe('logs in')
    await until(() => session.report().state === 'valid')
    expect(session.report().generation).toBe(2)
  })

  test('begins anew where it is invalidated, also with no token and no pause left', async () => {
    const session = sessionAt(0)
    await session.token()
    expect(session.rejected(1, 401, target)).toBe(true)
    session.respondsWith(responses[401])
    await expect(session.token()).rejects.toMatchObject({ status: 401 })
    session.respondsWith(undefined)
    session.time.now = 3_600_000
    session.invalidate()
    await session.token()
    // The next one replaces none that was refused.
    expect(session.rejected(2, 401, target)).toBe(true)
  })
})

/** A store whose sharing the test decides. */
function sharedBy(obtain: () => Promise<LoginOutcome>): SharedTokenStore {
  return {
    get: async () => undefined,
    compareAndSwap: async () => false,
    lock: async () => undefined,
    unlock: async () => {},
    [sharingFactory]: () => ({
      obtain,
      isReachable: () => true,
      invalidate: () => {},
      hasUnstored: () => false,
      used: () => false,
    }),
  }
}
