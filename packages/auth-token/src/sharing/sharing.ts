import { AuthError } from '@svc/auth-hooks'
import { emit, abortable } from '@svc/auth-hooks/scheme'
import { isLatching, latchMs, longestPauseMs } from '../back-off.ts'
import { checkedStore, storeAway } from './checked-store.ts'
import {
  createSeal,
  type Seal,
  type SharedContent,
  type SharedLatch,
  type SharedToken,
} from './sealed-record.ts'
import type { LoginView } from '../obtain.ts'
import type { Grant } from '../token.ts'
import type { TokenAuthSettings } from '../options.ts'
import type { TokenStore } from '../stores/store.ts'
import { type HeldCredentials, sameCredentials } from '../credentials.ts'

/**
 * How much a session needs a token: `look` takes a newer one from the store and never logs in,
 * `replace` takes any other, `renew` has one that is good for a while, `log-in` has none.
 */
export type Need = 'look' | 'replace' | 'renew' | 'log-in'

/** What a session wants to know, and what it can do itself. */
export interface Turn extends LoginView {
  readonly credentials: HeldCredentials
  /** Whether what stands in the store now is of no use, since the caller dropped it. */
  readonly ignoresStore: boolean
  /** Throws where no login may be made. */
  readonly checkPause: () => void
  readonly logIn: () => Promise<Grant>
  /** The store was of no use, and was left out. */
  readonly storeIsAway: () => void
}

/** What came of it. */
export type Outcome =
  | { readonly name: 'issued'; readonly grant: Grant }
  | { readonly name: 'adopted'; readonly grant: Grant }
  /** With the error of the login, where it was this session's own. */
  | { readonly name: 'latched'; readonly latch: SharedLatch; readonly error?: AuthError }
  | { readonly name: 'nothing-newer' }

/** Gets a token for a session: from the store, or by one login of all who share it. */
export type Sharing = (turn: Turn, signal: AbortSignal) => Promise<Outcome>

/** A lock is prolonged while its owner lives, so that one who was killed holds up nobody for long. */
const longestLockMs = 5000
const firstWaitMs = 20
const longestWaitMs = 250

/** What is known of the place of some credentials in the store. */
interface Place {
  readonly credentials: HeldCredentials
  readonly seal: Seal
  generation: number
  /** The record that was read or written last. */
  sealed: string | undefined
  content: SharedContent | undefined
}

/** Shares the tokens of a session through a store. */
export function createSharing(
  unchecked: TokenStore,
  settings: Pick<
    TokenAuthSettings,
    'clock' | 'loginTimeoutMs' | 'loginUrl' | 'onEvent' | 'random' | 'tokenHeader'
  >,
): Sharing {
  const { clock, random, loginTimeoutMs, loginUrl, onEvent } = settings
  const lockMs = Math.min(longestLockMs, loginTimeoutMs / 3)
  const about = { scheme: 'token', origin: loginUrl.origin } as const
  const store = checkedStore(unchecked, settings)
  let last: Place | undefined

  const placeOf = async (credentials: HeldCredentials): Promise<Place> => {
    if (last && sameCredentials(last.credentials, credentials)) return last
    const seal = await createSeal(loginUrl, settings.tokenHeader, credentials)
    const nothing = { generation: 0, sealed: undefined, content: undefined }
    last = { credentials, seal, ...nothing }
    return last
  }

  /** Reads the store; gives what settles the matter, where there is anything. */
  const look = async (
    place: Place,
    turn: Turn,
    signal: AbortSignal,
  ): Promise<Outcome | undefined> => {
    const record = await store.get(place.seal.key)
    signal.throwIfAborted()
    place.generation = record?.generation ?? 0
    if (record?.sealed !== place.sealed) {
      const content = record && (await place.seal.open(record))
      signal.throwIfAborted()
      Object.assign(place, { sealed: record?.sealed, content })
    }
    const now = clock()
    const token = place.content?.token
    if (token && isBetter(token, turn)) {
      const { value, issuedAt, replacements } = token
      const lifetimeMs = remainingMs(token, now)
      const adopted = { issuedAt, replacements }
      const grant = { value, lifetimeMs, generation: place.generation, adopted }
      if (lifetimeMs > 0) return { name: 'adopted', grant }
    }
    if (turn.need === 'look' || turn.need === 'replace') return { name: 'nothing-newer' }
    turn.checkPause()
    const latch = place.content?.latch
    if (!latch) return undefined
    const retryAt = Math.min(latch.retryAt, now + longestPauseMs)
    return now < retryAt ? { name: 'latched', latch: { ...latch, retryAt } } : undefined
  }

  /** Takes what stands in the store for known, so that it is not adopted. */
  const forget = async (place: Place): Promise<undefined> => {
    const record = await store.get(place.seal.key)
    const generation = record?.generation ?? 0
    Object.assign(place, { generation, sealed: record?.sealed, content: undefined })
  }

  const write = async (
    place: Place,
    fencingToken: number,
    content: SharedContent,
  ): Promise<boolean> => {
    const generation = place.generation + 1
    const sealed = await place.seal.seal(generation, content)
    const { token, latch } = content
    // The count of refusals outlives their pause, or the next pause would be short again.
    const latchUntil = latch ? latch.retryAt + 2 * longestPauseMs : 0
    const ttlMs = Math.max(token?.expiresAt ?? 0, latchUntil) - clock()
    if (ttlMs <= 0) return false
    const record = { generation, sealed }
    if (!(await store.compareAndSwap(place.seal.key, record, { fencingToken, ttlMs }))) return false
    Object.assign(place, { ...record, content })
    return true
  }

  const logInAndTell = async (
    place: Place,
    turn: Turn,
    fencingToken: () => number,
    signal: AbortSignal,
  ): Promise<Outcome> => {
    let grant: Grant
    try {
      grant = await abortable(turn.logIn(), signal)
    } catch (error) {
      try {
        const found = await look(place, turn, signal)
        if (found) return found
        if (!AuthError.is(error) || !isLatching(error)) throw error
        const refusals = (place.content?.latch?.refusals ?? 0) + 1
        const retryAt = clock() + latchMs(refusals)
        const latch = { refusals, retryAt, status: error.status ?? 0 }
        await write(place, fencingToken(), { token: stillGood(place, turn), latch })
        return { name: 'latched', latch, error }
      } catch {
        // The failed login is what the caller has to know.
        throw error
      }
    }
    signal.throwIfAborted()
    const { value, lifetimeMs } = grant
    const issuedAt = clock()
    const replacements = turn.replacements()
    const token = { value, issuedAt, expiresAt: issuedAt + lifetimeMs, replacements }
    try {
      if (await write(place, fencingToken(), { token })) {
        return { name: 'issued', grant: { ...grant, generation: place.generation } }
      }
      // Another has logged in meanwhile, which may have ended the session of this token.
      const found = await look(place, turn, signal)
      if (found?.name === 'adopted') return found
    } catch {
      // A token that cannot be shared is a token all the same.
    }
    return { name: 'issued', grant }
  }

  const stillGood = ({ content }: Place, turn: Turn): SharedToken | undefined =>
    turn.held() || content?.token?.value !== turn.lastValue ? content?.token : undefined

  /** Waits for the lock; for what settles the matter meanwhile, where there is anything. */
  const takeLock = async (
    place: Place,
    turn: Turn,
    lock: () => Promise<number | undefined>,
    signal: AbortSignal,
  ): Promise<Outcome | number> => {
    const startedAt = clock()
    let hasWaited = false
    const tell = (): void => {
      if (!hasWaited) return
      emit(onEvent, () => ({ ...about, type: 'lock.waited', waitedMs: clock() - startedAt }))
    }
    let isLate = false
    const timer = setTimeout(() => (isLate = true), loginTimeoutMs / 2)
    try {
      for (let waitMs = firstWaitMs; ; waitMs = Math.min(waitMs * 1.5, longestWaitMs)) {
        // A session that was invalidated must not take what a login before gives meanwhile.
        if (turn.ignoresStore) turn.checkPause()
        const found = turn.ignoresStore ? undefined : await look(place, turn, signal)
        const taken = found ?? (await lock())
        if (taken !== undefined) {
          tell()
          return taken
        }
        if (isLate) {
          // Whoever holds it so long is not logging in.
          emit(onEvent, () => ({
            ...about,
            type: 'store.failed',
            operation: 'lock',
            reason: 'timeout',
          }))
          throw storeAway
        }
        hasWaited = true
        await later(waitMs * (0.5 + random() / 2), signal)
      }
    } finally {
      clearTimeout(timer)
    }
  }

  return async (turn, signal) => {
    const place = await placeOf(turn.credentials)
    const owner = crypto.randomUUID()
    const { key } = place.seal
    const lock = (): Promise<number | undefined> => store.lock(key, { owner, ttlMs: lockMs })
    let taken: Outcome | number
    try {
      taken = await takeLock(place, turn, lock, signal)
    } catch (error) {
      if (error !== storeAway) throw error
      turn.storeIsAway()
      if (turn.need !== 'log-in') return { name: 'nothing-newer' }
      turn.checkPause()
      return { name: 'issued', grant: await turn.logIn() }
    }
    if (typeof taken !== 'number') return taken

    let fencingToken = taken
    let beat: Promise<unknown> = Promise.resolve()
    const heartbeat = setInterval(() => {
      beat = beat
        .then(() => store.prolong(key, { owner, ttlMs: lockMs }))
        .then((prolonged) => (fencingToken = prolonged ?? fencingToken), ignore)
    }, lockMs / 3)
    try {
      // Another may have written between the last look and the lock.
      const read = turn.ignoresStore ? forget(place) : look(place, turn, signal)
      const found = await read.catch(ignoreAway)
      if (found) return found
      return await logInAndTell(place, turn, () => fencingToken, signal)
    } finally {
      clearInterval(heartbeat)
      // A lock that is being prolonged would be there again after it was freed.
      void beat.then(() => store.unlock(key, owner)).catch(ignore)
    }
  }
}

/**
 * Whether a token is worth more than what the session has: another one, and a later one than one that
 * is still good, since a session that logged in without sharing may have ended what the store holds.
 */
function isBetter({ value, issuedAt }: SharedToken, turn: Turn): boolean {
  if (value === turn.lastValue) return false
  return turn.need === 'replace' || issuedAt > (turn.held()?.issuedAt ?? -Infinity)
}

/** A clock that is ahead must not make the token of another host live longer than it does. */
function remainingMs({ issuedAt, expiresAt }: SharedToken, now: number): number {
  return Math.min(expiresAt - now, expiresAt - issuedAt)
}

function later(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort)
      resolve()
    }, ms)
    signal.addEventListener('abort', abort, { once: true })
  })
}

function ignore(): void {}

function ignoreAway(error: unknown): undefined {
  if (error !== storeAway) throw error
}
