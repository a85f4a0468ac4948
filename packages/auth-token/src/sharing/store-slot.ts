import { countedUntil } from '../session/back-off.ts'
import type { SessionCredentials } from '../credentials.ts'
import type { TokenStore } from '../stores/store.ts'
import type { SharingSettings } from '../token.ts'
import { storeUnavailable } from './checked-store.ts'
import type { Seal, SharedContent } from './sealed-record.ts'

/** The time for which a refresh token is kept: longer than most servers take it. */
const refreshTokenMs = 400 * 24 * 60 * 60 * 1000
/** The time for which a failure is kept: longer than anyone waits for a login. */
const failureMs = 60_000

/** A record as it was read. */
export interface Opened {
  /** 0 if there is none. */
  readonly generation: number
  readonly content: SharedContent
}

/** The place in a store that the sessions with the same credentials share. */
export interface StoreSlot {
  readonly key: string
  readonly credentials: SessionCredentials
  /**
   * @param age - `any` reads an older record than the last, too, as a store has it after a failover.
   * @throws storeUnavailable if the store is away, or if it lost a record that tells of a refresh token.
   */
  read(age?: 'any'): Promise<Opened>
  /**
   * Writes the next record. Resolves to `undefined` if another was faster, or if the content has expired.
   *
   * @param fencingToken - That of the own lock; without it, the lock may be another's.
   */
  swap(before: Opened, content: SharedContent, fencingToken?: number): Promise<Opened | undefined>
}

/** Returns the slot of some credentials. Reads nothing. */
export function openSlot(
  store: TokenStore,
  { clock, spending }: SharingSettings,
  credentials: SessionCredentials,
  seal: Seal,
): StoreSlot {
  const { key } = seal
  /** The latest record that was seen, so that one that did not change is not opened again. */
  let seen: (Opened & { readonly sealed: string | undefined }) | undefined

  return {
    key,
    credentials,
    async read(age) {
      const record = await store.get(key)
      const { generation = 0, sealed } = record ?? {}
      if (seen && seen.generation === generation && seen.sealed === sealed) return seen
      const content = record && (await seal.open(record))
      // A record that is gone, cannot be opened, or is an older one, as after a failover: nobody knows if the refresh
      // token was sent.
      const isOlder = age !== 'any' && generation < (seen?.generation ?? 0)
      const isLost = isOlder || (record && !content)
      if (spending && isLost) throw storeUnavailable
      seen = { generation, sealed, content: content ?? {} }
      return seen
    },
    async swap(before, content, fencingToken) {
      const generation = before.generation + 1
      const { token, refreshToken, lockout } = content
      const now = clock()
      const until = Math.max(
        token?.expiresAt ?? 0,
        lockout ? countedUntil(lockout.retryAt, lockout.refusals) : 0,
        content.failure ? content.failure.at + failureMs : 0,
        spending || refreshToken !== undefined ? now + refreshTokenMs : 0,
      )
      const ttlMs = until - now
      if (ttlMs <= 0) return undefined
      const record = { generation, sealed: await seal.seal(generation, content) }
      const isWritten = await store.compareAndSwap(key, record, { fencingToken, ttlMs })
      if (!isWritten) return undefined
      seen = { ...record, content }
      return seen
    },
  }
}
