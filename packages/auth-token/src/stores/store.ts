/**
 * The entry of one key. Everything but the number is sealed: it reveals nothing, and a record that was
 * tampered with counts as missing.
 */
export interface TokenRecord {
  /** Counts the writes: 1 for the first record, then one more than the previous record's. */
  readonly generation: number
  /** Letters, digits, `-` and `_`; up to 2 MiB. */
  readonly sealed: string
}

/** The right to write, and the lifetime of the record. */
export interface TokenWrite {
  /**
   * The number that the writer got with its lock.
   *
   * @default none: only the generation is compared, not the holder of the lock
   */
  readonly fencingToken?: number | undefined
  /** The store may forget the record after this many milliseconds. */
  readonly ttlMs: number
}

/** The owner of a lock, and its duration. */
export interface TokenLock {
  /** Identifies the owner; never reused. */
  readonly owner: string
  /** The lock is free again after this many milliseconds, whatever happened to its owner. */
  readonly ttlMs: number
}

/**
 * Keeps the records of sessions that share one token, so that several processes or hosts need only one
 * login. A key has up to 128 letters, digits, `-` and `_`. A method that cannot do its work rejects; the
 * session then continues without sharing.
 *
 * For a store of your own, `@svc/auth-token/store-conformance` has the checks that it must pass, and
 * `sharedTokenStore` of `@svc/auth-token/sharing` makes it one that `createTokenAuth` takes.
 */
export interface TokenStore {
  /** Resolves to the record, or to `undefined` if there is none. */
  get(key: string): Promise<TokenRecord | undefined>
  /**
   * Atomically writes a record if the current one is of the previous generation. If it is not, or if a
   * later fencing token was issued than the one given, writes nothing and resolves to `false`.
   */
  compareAndSwap(key: string, record: TokenRecord, write: TokenWrite): Promise<boolean>
  /**
   * Takes the lock and resolves to its fencing token, or to `undefined` if another owner holds it. If this
   * owner already holds it, extends it and resolves to the same fencing token. Otherwise the fencing token
   * is greater than all before it.
   */
  lock(key: string, lock: TokenLock): Promise<number | undefined>
  /** Releases the lock if this owner holds it. */
  unlock(key: string, owner: string): Promise<void>
}
