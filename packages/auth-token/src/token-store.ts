/**
 * What a store keeps under one key. All of it but the number is sealed: it tells nothing, and what
 * was tampered with counts as not there.
 */
export interface TokenRecord {
  /** Counts the writes: one more than that of the record before, 1 for the first. */
  readonly generation: number
  /** Letters, digits, `-` and `_`; up to 2 MiB. */
  readonly sealed: string
}

/** Who writes, and for how long it matters. */
export interface TokenWrite {
  /** The number that the writer's lock was given with. */
  readonly fencingToken: number
  /** The store may forget the record after this many milliseconds. */
  readonly ttlMs: number
}

/** Who locks, and for how long. */
export interface TokenLock {
  /** Tells the owners apart; never used again. */
  readonly owner: string
  /** The lock is free again after this many milliseconds, whatever became of its owner. */
  readonly ttlMs: number
}

/**
 * Where sessions share one token, so that several processes or hosts cost one login. Keys are up to
 * 128 letters, digits, `-` and `_`. A method that cannot do its work rejects; a session then goes on
 * without sharing.
 *
 * `@svc/auth-token/store-conformance` holds the checks that a store has to pass.
 */
export interface TokenStore {
  /** The record, or `undefined`. */
  get(key: string): Promise<TokenRecord | undefined>
  /**
   * Writes a record where the one that is there is of the generation before, in one step. `false`,
   * and nothing is written, where it is not, or where a later fencing token was given out.
   */
  compareAndSwap(key: string, record: TokenRecord, write: TokenWrite): Promise<boolean>
  /**
   * Takes the lock, or `undefined` where another owner holds it. For the owner who holds it, it
   * prolongs it and gives the same fencing token. Each other taking gives a greater one.
   */
  lock(key: string, lock: TokenLock): Promise<number | undefined>
  /** Frees the lock, where this owner holds it. */
  unlock(key: string, owner: string): Promise<void>
}
