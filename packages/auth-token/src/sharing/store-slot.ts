import { emit } from '@svc/auth-hooks/scheme'
import type { AuthEvent } from '@svc/types'
import { inTime } from '../timers.ts'
import { keptUntil } from '../session/back-off.ts'
import type { TokenLock, TokenStore } from '../stores/store.ts'
import type { SharingSettings } from '../session/session-options.ts'
import type { Seal, SharedContent } from './sealed-record.ts'

/** Thrown where a store is away, slow or returns something invalid; an event has told which. */
export const storeUnavailable: unique symbol = Symbol('the token store is unavailable')

const slowMs = 2000
/** The time for which a refresh token is kept: longer than most servers take it. */
const refreshTokenMs = 400 * 24 * 60 * 60 * 1000
/** The time for which a failure is kept: longer than anyone waits for a login. */
const failureMs = 60_000

export interface Opened {
  /** 0 if there is none. */
  readonly generation: number
  readonly content: SharedContent
}

/**
 * The place in a store that the sessions with the same credentials share. Its methods do what they say, in time, or
 * throw `storeUnavailable`.
 */
export interface StoreSlot {
  /**
   * Reads the record. Of a refresh token, one that is lost is no record, but an error.
   *
   * @param age - `any` reads an older record than the last, too, as a store has it after a failover.
   */
  read(age?: 'any'): Promise<Opened>
  /**
   * Writes the next record. Resolves to `undefined` if another was faster, or if the content has expired.
   *
   * @param fencingToken - That of the own lock; without it, the lock may be another's.
   */
  swap(before: Opened, content: SharedContent, fencingToken?: number): Promise<Opened | undefined>
  /**
   * Takes or extends the lock. Resolves to the fencing token, or to `undefined` if another owner holds it. A lock that
   * comes too late expires by itself.
   */
  lock(lock: TokenLock): Promise<number | undefined>
  unlock(owner: string): Promise<void>
  /** Opens another place of those who share this one. */
  beside(name: string): StoreSlot
}

/** Returns the slot of a seal. Reads nothing. */
export function openSlot(store: TokenStore, settings: SharingSettings, seal: Seal): StoreSlot {
  const { clock, rotation } = settings
  const { key } = seal
  /** The generation of the latest record that was seen. */
  let latest = 0

  return {
    async read(age) {
      const record = await ask(settings, 'get', () => store.get(key), isRecord)
      const { generation = 0 } = record ?? {}
      const content = record && (await seal.open(record))
      // Of a record that is gone, cannot be opened, or is an older one, as after a failover, it is not known if the
      // refresh token was sent.
      const isOlder = age !== 'any' && generation < latest
      const isUnsure = isOlder || (record && !content)
      // Where the user can be asked, the worst is to ask.
      if (rotation && !rotation.signIn && isUnsure) throw storeUnavailable
      latest = Math.max(latest, generation)
      return { generation, content: content ?? {} }
    },
    async swap(before, content, fencingToken) {
      const { token, refreshToken, lockout, failure } = content
      const now = clock()
      const until = Math.max(
        token?.expiresAt ?? 0,
        lockout ? keptUntil(lockout.retryAt, lockout.refusals) : 0,
        failure ? failure.at + failureMs : 0,
        rotation || refreshToken !== undefined ? now + refreshTokenMs : 0,
      )
      if (until <= now) return undefined
      const generation = before.generation + 1
      const record = { generation, sealed: await seal.seal(generation, content) }
      const write = { fencingToken, ttlMs: until - now }
      const swap = (): Promise<boolean> => store.compareAndSwap(key, record, write)
      const isBoolean = (value: unknown): boolean => typeof value === 'boolean'
      if (!(await ask(settings, 'compareAndSwap', swap, isBoolean))) return undefined
      latest = generation
      return { generation, content }
    },
    lock: (lock) => ask(settings, 'lock', () => store.lock(key, lock), isFencingToken),
    unlock: (owner) => ask(settings, 'unlock', () => store.unlock(key, owner)),
    beside: (name) => openSlot(store, settings, { ...seal, key: `${key}-${name}` }),
  }
}

/** Returns the time that each method of a store has: 2 seconds, or a quarter of a login's. */
export function storeLimitMs(loginTimeoutMs: number): number {
  return Math.min(slowMs, loginTimeoutMs / 4)
}

type Failed = Extract<AuthEvent, { type: 'store.failed' }>

export function emitStoreFailed(
  { name, origin, onEvent }: SharingSettings,
  operation: Failed['operation'],
  reason: Failed['reason'],
): void {
  emit(onEvent, () => ({ type: 'store.failed', scheme: name, origin, operation, reason }))
}

/** Calls a method of the store, and throws `storeUnavailable` unless it returns something valid in time. */
async function ask<Result>(
  settings: SharingSettings,
  operation: Failed['operation'],
  action: () => Promise<Result>,
  isValid: (result: unknown) => boolean = () => true,
): Promise<Result> {
  const limitMs = storeLimitMs(settings.loginTimeoutMs)
  let reason: Failed['reason'] = 'error'
  const late = (): void => void (reason = 'timeout')
  try {
    const result = await inTime(settings.timers, limitMs, late, undefined, action)
    if (isValid(result)) return result
    reason = 'invalid'
  } catch {
    // The event tells the reason, but not the error: a store's may hold the password of its server.
  }
  emitStoreFailed(settings, operation, reason)
  throw storeUnavailable
}

function isRecord(value: unknown): boolean {
  if (value === undefined) return true
  const { generation, sealed } = Object(value)
  return Number.isSafeInteger(generation) && typeof sealed === 'string'
}

function isFencingToken(value: unknown): boolean {
  return value === undefined || Number.isSafeInteger(value)
}
