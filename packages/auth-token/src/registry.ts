import { AuthError } from '@svc/auth-hooks'
import type { BackOff } from './session/back-off.ts'
import type { SessionCredentials } from './credentials.ts'
import type { Session } from './session/session.ts'
import { isAhead } from './token.ts'
import { version } from './version.ts'

/** A session in the registry, as the schemes that share it hold it. */
export interface SessionEntry {
  readonly session: Session
  readonly credentials: SessionCredentials
  readonly idleMs: number
  /** The login and its credentials alone: with the owners, what may be refused. */
  readonly refusalKey: string
  /** Returns `false` once it left the registry, where another may have taken its place. */
  readonly isCurrent: () => boolean
}

export interface SessionRequest extends Omit<SessionEntry, 'session' | 'isCurrent'> {
  /** Everything of plain data that makes two sessions different. */
  readonly key: string
  /** Functions and clients that a session is made with, in a fixed order: it goes with them. */
  readonly owners: readonly object[]
  readonly now: number
  readonly createBackOff: () => BackOff
  readonly createSession: (backOff: BackOff) => Session
}

/** Holds the sessions of those who share it. Lists neither sessions nor keys. */
export interface Registry {
  find(request: SessionRequest): SessionEntry
  forget(): void
}

/** The sessions made with the same owners. */
interface Shelf {
  readonly entries: Map<string, SessionEntry>
  /** The failures of each login, which outlive its sessions: for want of room, none is forgotten that counts. */
  readonly backOffs: Map<string, BackOff>
  /** The sessions that are made with one more owner. */
  readonly below: WeakMap<object, Shelf>
  /** The instant of the next sweep. */
  sweepAt: number
  /** `true` if at the last one the failures that count left no room for another login. */
  isFull: boolean
}

/** Sessions that are not in use make room beyond this number, those first that were not used for longest. */
const mostSessions = 5000
const mostBackOffs = 20_000
const sweepEachMs = 1000

export function createRegistry(): Registry {
  let root = createShelf()
  return {
    forget: () => void (root = createShelf()),
    find(request) {
      const ownRoot = root
      const shelf = shelfOf(ownRoot, request.owners)
      const { key, refusalKey, credentials, idleMs, now, createSession } = request
      const { entries } = shelf
      sweep(shelf, now)
      const known = entries.get(key)
      // One whose credentials were changed cannot log in.
      if (known && known.credentials.areSame?.() !== false) return known
      const session = createSession(backOffOf(shelf, request))
      const isCurrent = (): boolean => ownRoot === root && entries.get(key) === entry
      const entry: SessionEntry = { session, credentials, idleMs, refusalKey, isCurrent }
      entries.set(key, entry)
      return entry
    },
  }
}

/** That of this copy of the package, if the global object has no other. */
const ownRegistry: Registry = /* @__PURE__ */ createRegistry()

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
  globalRegistry().forget()
}

/**
 * Returns the registry of this global scope, so of this thread, realm or isolate: all copies of this
 * version of the package share it, such as those in two bundles of one server.
 */
export function globalRegistry(): Registry {
  const name = Symbol.for(`svc-auth.sessions.${version}`)
  // Put there by a copy of this very version.
  const existing = Reflect.get(globalThis, name) as Registry | undefined
  if (existing) return existing
  // A global object that takes nothing, such as a frozen one, leaves each copy its own.
  Reflect.defineProperty(globalThis, name, { value: ownRegistry })
  return ownRegistry
}

function createShelf(): Shelf {
  const below = new WeakMap<object, Shelf>()
  return { entries: new Map(), backOffs: new Map(), below, sweepAt: 0, isFull: false }
}

function shelfOf(root: Shelf, owners: readonly object[]): Shelf {
  let shelf = root
  for (const owner of owners) {
    const next = shelf.below.get(owner) ?? createShelf()
    shelf.below.set(owner, next)
    shelf = next
  }
  return shelf
}

/**
 * Returns the back-off of a login.
 *
 * @throws AuthError if those that count leave no room for another: forgetting one would let it be tried again.
 */
function backOffOf({ backOffs, isFull }: Shelf, request: SessionRequest): BackOff {
  const known = backOffs.get(request.refusalKey)
  if (known) return known
  if (isFull) {
    const what = `no login is made: the refusals of ${mostBackOffs} others count; try again later`
    throw new AuthError('ERR_AUTH_LOGIN_FAILED', `[@svc/auth-token] ${what}`)
  }
  const backOff = request.createBackOff()
  backOffs.set(request.refusalKey, backOff)
  return backOff
}

/** Removes sessions that were not used for a while, or are too many, and failures that count no more. */
function sweep(shelf: Shelf, now: number): void {
  if (isAhead(shelf.sweepAt, now, sweepEachMs)) return
  shelf.sweepAt = now + sweepEachMs
  const { entries, backOffs } = shelf
  const idle = [...entries]
    .filter(([, { session }]) => !session.isInUse())
    .sort(([, one], [, other]) => one.session.usedAt() - other.session.usedAt())
  const surplus = entries.size - mostSessions
  // Those without a token first: refused logins must not push out who is logged in, and their failures outlive them.
  const hasToken = idle.map(([, { session }]) => session.report().state === 'valid')
  const inOrder = [false, true].flatMap((has) => idle.filter((_, index) => hasToken[index] === has))
  for (const [index, [key, { session, idleMs }]] of inOrder.entries()) {
    if (index < surplus || now >= session.usedAt() + idleMs) entries.delete(key)
  }
  // All sessions of a login and its owners have the same failures.
  const held = new Set(Array.from(entries.values(), ({ refusalKey }) => refusalKey))
  let counting = 0
  for (const [key, backOff] of backOffs) {
    if (backOff.keepUntil() > now) counting += 1
    else if (!held.has(key)) backOffs.delete(key)
  }
  shelf.isFull = counting >= mostBackOffs
}
