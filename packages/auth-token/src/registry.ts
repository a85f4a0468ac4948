import { AuthError } from '@svc/auth-hooks'
import type { BackOff } from './session/back-off.ts'
import type { SessionCredentials } from './credentials.ts'
import type { Session } from './session/session-types.ts'
import { version } from './version.ts'

/** A session in the registry, as the schemes that share it hold it. */
export interface SessionEntry {
  readonly session: Session
  readonly credentials: SessionCredentials
  readonly idleMs: number
  /** As in the request that made it. */
  readonly refusalKey: string
  /** `true` once it left the registry, where another may have taken its place. */
  hasLeft: boolean
  readonly era: Era
}

/** Sessions made before `forgetSessions` was called, and those made after, are of different eras. */
interface Era {
  isOver: boolean
}

/** The session that a scheme needs. */
export interface SessionRequest extends Pick<SessionEntry, 'credentials' | 'idleMs'> {
  /** Everything of plain data that makes two sessions different. */
  readonly key: string
  /** The login and its credentials alone: whoever may be refused with them. */
  readonly refusalKey: string
  /** Functions and clients that a session is made with, in a fixed order: it goes with them. */
  readonly owners: readonly object[]
  readonly now: number
  /** Comes back if no other has taken its place. */
  readonly previous: SessionEntry | undefined
  readonly createBackOff: () => BackOff
  readonly createSession: (backOff: BackOff) => Session
}

/** The session for a scheme. */
export interface FoundSession {
  readonly entry: SessionEntry
  /**
   * The reason that the session is not shared, the first time: `full`, or the index of the owner that is
   * another one each time.
   */
  readonly obstacle?: number | 'full' | undefined
}

/** Finds or makes a session; with nothing to find, forgets all. Lists neither sessions nor keys. */
export interface Registry {
  (request: SessionRequest): FoundSession
  (): undefined
}

/** The sessions made with the same owners. */
interface Shelf {
  readonly entries: Map<string, SessionEntry>
  /** The failures of each login, which outlive its sessions: for want of room, none is forgotten that counts. */
  readonly backOffs: Map<string, BackOff>
  /** The sessions that are made with one more owner. */
  readonly below: WeakMap<object, Shelf>
  /** Hashes of the keys of the sessions below, and if one was told that is made with another owner each time. */
  readonly keysBelow: Map<number, { isTold: boolean }>
  /** No entry has been idle for too long before this instant. */
  sweepAt: number
}

/** The registry of a global scope whose global object takes none. */
let ownRegistry: Registry | undefined

const mostSessions = 5000
const mostBackOffs = 20_000
/** Entries that make room at once, so that a full registry need not look for room each time. */
const roomAtOnce = 500

/** Returns a registry of its own, with no session in it. */
export function createRegistry(): Registry {
  let era: Era = { isOver: false }
  let root = createShelf()
  function find(): undefined
  function find(request: SessionRequest): FoundSession
  function find(request?: SessionRequest): FoundSession | undefined {
    if (!request) {
      era.isOver = true
      era = { isOver: false }
      root = createShelf()
      return undefined
    }
    const { shelf, obstacle } = findShelf(root, request)
    const { key, refusalKey, credentials, idleMs, now, previous, createSession } = request
    sweep(shelf, now)
    const known = shelf.entries.get(key)
    // One whose credentials were changed can log nobody in.
    if (known && known.credentials.areSame?.() !== false) return { entry: known, obstacle }
    const isFull = shelf.entries.size >= mostSessions && !makeRoom(shelf, now)
    const session =
      previous?.era === era ? previous.session : createSession(backOffOf(shelf, request))
    const entry = { session, credentials, idleMs, refusalKey, hasLeft: false, era }
    if (isFull) return { entry, obstacle: 'full' }
    shelf.entries.set(key, entry)
    shelf.sweepAt = Math.min(shelf.sweepAt, now + idleMs)
    return { entry, obstacle }
  }
  return find
}

/**
 * Forgets all sessions of this global scope, with their tokens and pauses: schemes that exist log in anew.
 * For tests, in which another service may have the address of the one before.
 *
 * @example
 * import { forgetSessions } from '@svc/auth-token'
 * import { afterEach } from 'vitest'
 *
 * afterEach(forgetSessions)
 * @see https://vitest.dev/api/hooks
 */
export function forgetSessions(): void {
  globalRegistry()()
}

/**
 * Returns the registry of this global scope, so of this thread, realm or isolate: all copies of this
 * version of the package share it, such as those in two bundles of one server.
 */
export function globalRegistry(): Registry {
  const name = Symbol.for(`svc-auth.sessions.${version}`)
  // Its value alone: anything may stand there, such as a getter that throws.
  const existing: unknown = Reflect.getOwnPropertyDescriptor(globalThis, name)?.value
  // Put there by a copy of this very version.
  if (typeof existing === 'function' && Object.isFrozen(existing)) return existing as Registry
  const registry = Object.freeze(createRegistry())
  const isDefined = Reflect.defineProperty(globalThis, name, { value: registry })
  // Without a global object that takes it, such as a frozen one, it is this copy's.
  return isDefined ? registry : (ownRegistry ??= registry)
}

function createShelf(): Shelf {
  return {
    entries: new Map(),
    backOffs: new Map(),
    below: new WeakMap(),
    keysBelow: new Map(),
    sweepAt: Infinity,
  }
}

function findShelf(
  root: Shelf,
  { key, owners }: SessionRequest,
): { shelf: Shelf; obstacle: number | undefined } {
  const hash = hashOf(key)
  let shelf = root
  let obstacle: number | undefined
  for (const [index, owner] of owners.entries()) {
    const next = shelf.below.get(owner) ?? createShelf()
    shelf.below.set(owner, next)
    if (shelf.keysBelow.size >= mostSessions) shelf.keysBelow.clear()
    const known = shelf.keysBelow.get(hash) ?? { isTold: false }
    const isNew = !next.keysBelow.has(hash) && !next.entries.has(key)
    if (isNew && shelf.keysBelow.has(hash) && !known.isTold) {
      obstacle ??= index
      known.isTold = true
    }
    shelf.keysBelow.set(hash, known)
    shelf = next
  }
  return { shelf, obstacle }
}

/**
 * Returns the back-off of a login.
 *
 * @throws AuthError if those that count leave no room for another: forgetting one would let it be tried again.
 */
function backOffOf(shelf: Shelf, { refusalKey, now, createBackOff }: SessionRequest): BackOff {
  const { backOffs } = shelf
  const known = backOffs.get(refusalKey)
  if (known) return known
  if (backOffs.size >= mostBackOffs) {
    for (const [key, one] of backOffs) if (one.countsUntil() <= now) backOffs.delete(key)
  }
  if (backOffs.size >= mostBackOffs) {
    const message = `[@svc/auth-token] no login is made: the refusals of ${mostBackOffs} others count`
    throw new AuthError('ERR_AUTH_LOGIN_FAILED', message)
  }
  const backOff = createBackOff()
  backOffs.set(refusalKey, backOff)
  return backOff
}

/** Removes the sessions that nobody has used for a while. */
function sweep(shelf: Shelf, now: number): void {
  if (now < shelf.sweepAt) return
  shelf.sweepAt = Infinity
  for (const [key, entry] of shelf.entries) {
    const idleAt = entry.session.usedAt() + entry.idleMs
    if (now >= idleAt && !entry.session.isInUse()) remove(shelf, key, entry, now)
    else {
      const againAt = Math.max(idleAt, now + Math.min(entry.idleMs, 1000))
      shelf.sweepAt = Math.min(shelf.sweepAt, againAt)
    }
  }
}

/** Removes idle sessions, those without a token first. Returns `false` if all are in use. */
function makeRoom(shelf: Shelf, now: number): boolean {
  const idle = [...shelf.entries]
    .filter(([, { session }]) => !session.isInUse())
    .map(([key, entry]) => {
      const { session } = entry
      return { key, entry, hasToken: session.report().state === 'valid', usedAt: session.usedAt() }
    })
    .sort((a, b) => Number(a.hasToken) - Number(b.hasToken) || a.usedAt - b.usedAt)
  for (const { key, entry } of idle.slice(0, roomAtOnce)) remove(shelf, key, entry, now)
  return idle.length > 0
}

function remove(shelf: Shelf, key: string, entry: SessionEntry, now: number): void {
  const { refusalKey } = entry
  entry.hasLeft = true
  shelf.entries.delete(key)
  const until = shelf.backOffs.get(refusalKey)?.countsUntil() ?? 0
  if (until <= now) shelf.backOffs.delete(refusalKey)
}

/** Returns a number that differs for most keys, so that no credentials are kept to compare. */
function hashOf(key: string): number {
  let hash = 0
  for (let index = 0; index < key.length; index += 1) {
    hash = (Math.imul(hash, 31) + key.charCodeAt(index)) | 0
  }
  return hash
}
