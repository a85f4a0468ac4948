import type { SessionCredentials } from '../credentials.ts'
import type { TokenRecord, TokenStore } from '../stores/store.ts'
import { countedUntil } from '../back-off.ts'
import type { SharingSettings } from '../token.ts'
import { storeUnavailable } from './checked-store.ts'
import { createSeal, type SharedContent } from './sealed-record.ts'

/** The time for which a refresh token is kept: longer than most servers take it. */
const refreshTokenMs = 400 * 24 * 60 * 60 * 1000

/** The place in a store that the sessions with the same credentials share. */
export interface StoreSlot {
  readonly key: string
  readonly credentials: SessionCredentials
  /** That of the record that was read or written last; 0 if there was none. */
  readonly generation: number
  readonly content: SharedContent | undefined
  read(signal: AbortSignal): Promise<void>
  /** Takes the stored record for known, so that it is not adopted. */
  skipStored(): Promise<void>
  /** Resolves to `false` if another was faster, or if the content has expired. */
  write(content: SharedContent, fencingToken: number): Promise<boolean>
}

/** Derives the slot of some credentials. Reads nothing. */
export async function openSlot(
  store: TokenStore,
  { account, clock, spending, sealRounds }: SharingSettings,
  credentials: SessionCredentials,
): Promise<StoreSlot> {
  const seal = await createSeal(account, credentials, sealRounds)
  const { key } = seal
  let generation = 0
  let sealed: string | undefined
  let content: SharedContent | undefined

  const open = async (record: TokenRecord | undefined): Promise<SharedContent | undefined> => {
    const opened = record && (await seal.open(record))
    // A store may also fall back to an older record, as after a failover.
    const isLost = (record?.generation ?? 0) < generation || (record && !opened)
    // Nobody knows if the refresh token was sent.
    if (spending && isLost) throw storeUnavailable
    return opened
  }

  return {
    key,
    credentials,
    get generation() {
      return generation
    },
    get content() {
      return content
    },
    async read(signal) {
      const record = await store.get(key)
      signal.throwIfAborted()
      const isGone = !record && generation > 0
      if (record?.sealed === sealed && !isGone) {
        generation = record?.generation ?? 0
        return
      }
      const opened = await open(record)
      signal.throwIfAborted()
      generation = record?.generation ?? 0
      sealed = record?.sealed
      content = opened
    },
    async skipStored() {
      const record = await store.get(key)
      const { refreshToken, spending: spent } = (await open(record)) ?? {}
      generation = record?.generation ?? 0
      sealed = record?.sealed
      content = { refreshToken, spending: spent }
    },
    async write(next, fencingToken) {
      const record = { generation: generation + 1, sealed: await seal.seal(generation + 1, next) }
      const { token, refreshToken, lockout } = next
      const lockoutUntil = lockout ? countedUntil(lockout.retryAt, lockout.refusals) : 0
      const now = clock()
      const refreshUntil = spending || refreshToken !== undefined ? now + refreshTokenMs : 0
      const until = Math.max(token?.expiresAt ?? 0, lockoutUntil, refreshUntil)
      const ttlMs = until - now
      if (ttlMs <= 0) return false
      if (!(await store.compareAndSwap(key, record, { fencingToken, ttlMs }))) return false
      generation = record.generation
      sealed = record.sealed
      content = next
      return true
    },
  }
}
