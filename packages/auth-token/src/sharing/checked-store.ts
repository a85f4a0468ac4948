import { emit } from '@svc/auth-hooks/scheme'
import type { AuthEvent } from '@svc/types'
import { startDeadline } from '../deadline.ts'
import type { TokenLock, TokenRecord, TokenStore, TokenWrite } from '../stores/store.ts'
import type { SharingSettings } from '../token.ts'

/** Thrown where a store is away, slow or returns something invalid; an event has told which. */
export const storeUnavailable: unique symbol = Symbol('the token store is unavailable')

const slowMs = 2000

/** Returns the time that each method of a store has: 2 seconds, or a quarter of a login's. */
export function storeLimitMs(loginTimeoutMs: number): number {
  return Math.min(slowMs, loginTimeoutMs / 4)
}

type Operation = Extract<AuthEvent, { type: 'store.failed' }>['operation']

/** A store whose methods do what they say, in time, or throw `storeUnavailable`. */
export interface CheckedStore extends TokenStore {
  /** Takes a lock again that its owner holds. One that comes too late is left, and not freed. */
  extendLock(key: string, lock: TokenLock): Promise<number | undefined>
}

/** Returns a store that does what it says in time, or throws `storeUnavailable`. */
export function checkedStore(
  store: TokenStore,
  settings: Pick<SharingSettings, 'loginTimeoutMs' | 'name' | 'origin' | 'onEvent' | 'timers'>,
): CheckedStore {
  const limitMs = storeLimitMs(settings.loginTimeoutMs)

  const run = <T>(
    operation: Operation,
    action: () => Promise<unknown>,
    isValid: (value: unknown) => value is T,
    /** Takes back the result of an action that was given up. */
    undo: () => Promise<unknown> = async () => {},
  ): Promise<T> =>
    new Promise((resolve, reject) => {
      let isOver = false
      const fail = (reason: 'error' | 'timeout' | 'invalid'): void => {
        if (isOver) return
        isOver = true
        endDeadline()
        emit(settings.onEvent, () => ({
          type: 'store.failed',
          scheme: settings.name,
          origin: settings.origin,
          operation,
          reason,
        }))
        reject(storeUnavailable)
      }
      const succeed = (value: T): void => {
        if (isOver) {
          Promise.resolve().then(undo).catch(ignore)
          return
        }
        isOver = true
        endDeadline()
        resolve(value)
      }
      const endDeadline = startDeadline(settings.timers, limitMs, () => fail('timeout'))
      // In a promise, since a method that throws is a store that is away too.
      Promise.resolve()
        .then(action)
        .then(
          (value) => (isValid(value) ? succeed(value) : fail('invalid')),
          () => fail('error'),
        )
    })

  return {
    get: (key) => run('get', () => store.get(key), isRecord),
    compareAndSwap: (key: string, record: TokenRecord, write: TokenWrite) =>
      run('compareAndSwap', () => store.compareAndSwap(key, record, write), isBoolean),
    lock: (key: string, lock: TokenLock) =>
      run(
        'lock',
        () => store.lock(key, lock),
        isFencingToken,
        () => store.unlock(key, lock.owner),
      ),
    extendLock: (key: string, lock: TokenLock) =>
      run('lock', () => store.lock(key, lock), isFencingToken),
    unlock: (key: string, owner: string) => run('unlock', () => store.unlock(key, owner), isAny),
  }
}

function isRecord(value: unknown): value is TokenRecord | undefined {
  if (value === undefined) return true
  if (typeof value !== 'object' || value === null) return false
  if (!('generation' in value && 'sealed' in value)) return false
  const { generation, sealed } = value
  return Number.isSafeInteger(generation) && typeof sealed === 'string'
}

function isFencingToken(value: unknown): value is number | undefined {
  return value === undefined || Number.isSafeInteger(value)
}

function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean'
}

function isAny(_value: unknown): _value is undefined {
  return true
}

function ignore(): void {}
