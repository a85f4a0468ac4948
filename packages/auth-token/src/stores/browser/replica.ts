import type { TokenRecord } from '../store.ts'
import { beginConversation, type Conversation } from './conversation.ts'
import type { Said, SaidLock, SaidRecord } from './messages.ts'
import type { UsablePlatform } from './platform.ts'

/** The key of the sign-in, to which all other records belong. */
export const signInKey = 'sign-in'

/** The records and locks of all tabs, as this one knows them. */
export interface Replica extends Pick<Conversation, 'joined' | 'say'> {
  /** Resolves once everything was heard that was said before. */
  sync(): Promise<unknown>
  /** Returns the record that was heard last. */
  record(key: string): TokenRecord | undefined
  /** Has a function called after each record that is new to this tab. */
  onRecord(listener: () => void): void
  /** Returns the last lock. One that is free again has no time left. */
  lock(key: string): LastLock | undefined
  /** Takes note that a lock was taken away from this tab, before the other one has said so. */
  loseLock(key: string, fencingToken: number): void
  /**
   * Writes a record to all tabs, which acknowledge it.
   *
   * @returns `false` if another record of this generation was first.
   */
  write(key: string, record: TokenRecord, ttlMs: number): Promise<boolean>
}

export interface LastLock {
  readonly owner: string | undefined
  readonly fencingToken: number
  /** When it ends unless it is extended. */
  readonly until: number
}

interface Kept {
  readonly record: TokenRecord
  readonly until: number
  /** The message that brought it. */
  readonly by: string
}

/**
 * Opens this tab's copy of what all tabs know.
 *
 * @param answerMs - The time for which other tabs are waited for.
 * @param onLock - Called for each lock that is taken, extended or freed in any tab.
 */
export function openReplica(
  platform: UsablePlatform,
  channel: string,
  answerMs: number,
  onLock: (key: string, said: SaidLock | { readonly freedBy: string }) => void,
): Replica {
  const now = (): number => platform.timers.now()
  const records = new Map<string, Kept>()
  const locks = new Map<string, LastLock>()
  let recorded = (): void => {}

  const recordOf = (key: string): Kept | undefined => {
    const kept = records.get(key)
    return kept && now() < kept.until ? kept : undefined
  }
  const keep = ({ key, generation, sealed, ttlMs }: SaidRecord, by: string): void => {
    // The first of a generation counts, and a later one always: this tab may have missed those between.
    if (generation <= (recordOf(key)?.record.generation ?? 0)) return
    // Nothing of a sign-in that is over is kept, or told to a tab.
    if (key === signInKey) records.clear()
    records.set(key, { record: { generation, sealed }, until: now() + ttlMs, by })
    recorded()
  }
  const keepLock = (said: SaidLock): void => {
    const { key, owner, fencingToken, ttlMs } = said
    const before = locks.get(key)
    const isSame = fencingToken === before?.fencingToken && (before.owner ?? owner) === owner
    if (fencingToken <= (before?.fencingToken ?? 0) && !isSame) return
    locks.set(key, { owner, fencingToken, until: now() + ttlMs })
    onLock(key, said)
  }
  const free = (key: string, owner: string): void => {
    const before = locks.get(key)
    if (before?.owner === owner) locks.set(key, { ...before, owner: undefined, until: 0 })
    onLock(key, { freedBy: owner })
  }
  const hear = (said: Said, by: string): void => {
    if (said.type === 'state') {
      for (const record of said.records) keep(record, by)
      for (const lock of said.locks) keepLock(lock)
    }
    if (said.type === 'record') keep(said, by)
    if (said.type === 'lock') keepLock(said)
    if (said.type === 'unlock') free(said.key, said.owner)
  }
  const tell = (to: string): Said => ({
    type: 'state',
    to,
    records: [...records].flatMap(([key, { record, until }]) => {
      const ttlMs = until - now()
      return ttlMs > 0 ? [{ key, ...record, ttlMs }] : []
    }),
    locks: [...locks].map(([key, { owner = '', fencingToken, until }]) => {
      return { key, owner, fencingToken, ttlMs: Math.max(0, until - now()) }
    }),
  })
  const { joined, say } = beginConversation(platform, channel, answerMs, { hear, tell })

  return {
    joined,
    say,
    sync: () => say({ type: 'sync' }),
    record: (key) => recordOf(key)?.record,
    onRecord: (listener) => void (recorded = listener),
    lock: (key) => locks.get(key),
    loseLock(key, fencingToken) {
      if (locks.get(key)?.fencingToken !== fencingToken) return
      locks.set(key, { owner: undefined, fencingToken: fencingToken + 1, until: 0 })
    },
    async write(key, record, ttlMs) {
      const by = await say({ type: 'record', key, ...record, ttlMs })
      return recordOf(key)?.by === by
    },
  }
}
