import type { TokenRecord } from '../store.ts'
import { type Message, readMessage, type Said, type SaidLock, toPost } from './messages.ts'
import type { Channel, UsablePlatform } from './platform.ts'

/** The records and locks of all tabs, as this one knows them. */
export interface Replica {
  /** Resolves once another tab has told what it knows, or none has in time. */
  joined(): Promise<void>
  /** Resolves once everything was heard that was said before. */
  sync(): Promise<void>
  record(key: string): TokenRecord | undefined
  /** Returns the last lock. One that is free again has no time left. */
  lock(key: string): LastLock | undefined
  /** Takes note that a lock was taken away from this tab, before the other one has said so. */
  loseLock(key: string, fencingToken: number): void
  /** Says something to all tabs. Resolves once this one has heard it, too. */
  say(said: Said): Promise<void>
  /**
   * Writes a record to all tabs. Resolves once each that is known to be there has acknowledged it, or is silent for too
   * long: then it is frozen or gone.
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
 * What a tab posts is queued for each tab there is, frozen ones too, before the tab hears it itself, on a channel of
 * its own. So a message to itself returns after everything that was said before.
 *
 * @param answerMs - The time for which other tabs are waited for.
 * @param onLock - Called for each lock that is taken, extended or freed in any tab.
 * @see https://html.spec.whatwg.org/multipage/web-messaging.html#broadcasting-to-other-browsing-contexts
 */
export function openReplica(
  platform: UsablePlatform,
  channel: string,
  answerMs: number,
  onLock: (key: string, said: SaidLock | { readonly freedBy: string }) => void,
): Replica {
  const { timers } = platform
  const tab = crypto.randomUUID()
  const records = new Map<string, Kept>()
  const locks = new Map<string, LastLock>()
  /** The other tabs that were heard, and have not said that they are away. */
  const others = new Set<string>()
  const heard = new Map<number, () => void>()
  const unacknowledged = new Map<number, { readonly by: Set<string>; readonly done: () => void }>()
  let last = 0
  let hasJoined = false
  let answered = (): void => {}

  const open = (): Channel => {
    const opened = platform.openChannel(channel)
    opened.unref?.()
    return opened
  }
  const listener = open()
  let speaker: Channel | undefined
  const numbered = (said: Said): object => {
    last += 1
    return toPost({ ...said, from: tab, id: last })
  }
  const post = (said: Said): number => {
    speaker ??= open()
    speaker.postMessage(numbered(said))
    return last
  }
  /** Says that this tab is away. Nothing of it may be on its way to itself, or the page is not kept in the bfcache. */
  const leave = (): void => {
    listener.postMessage(numbered({ type: 'bye' }))
    speaker?.close()
    speaker = undefined
  }
  const waitToHear = (id: number): Promise<void> =>
    new Promise((resolve) => void heard.set(id, resolve))
  const say = async (said: Said): Promise<void> => waitToHear(post(said))

  const recordOf = (key: string): Kept | undefined => {
    const kept = records.get(key)
    return kept && timers.now() < kept.until ? kept : undefined
  }
  const keep = (key: string, record: TokenRecord, ttlMs: number, by: string): void => {
    // The first of a generation counts, and a later one always: this tab may have missed those between.
    if (record.generation <= (recordOf(key)?.record.generation ?? 0)) return
    records.set(key, { record, until: timers.now() + ttlMs, by })
  }
  const keepLock = (said: SaidLock): void => {
    const { key, owner, fencingToken, ttlMs } = said
    const before = locks.get(key)
    const isSame = fencingToken === before?.fencingToken && (before.owner ?? owner) === owner
    if (fencingToken <= (before?.fencingToken ?? 0) && !isSame) return
    locks.set(key, { owner, fencingToken, until: timers.now() + ttlMs })
    onLock(key, said)
  }
  const free = (key: string, owner: string): void => {
    const before = locks.get(key)
    if (before?.owner === owner) locks.set(key, { ...before, owner: undefined, until: 0 })
    onLock(key, { freedBy: owner })
  }
  const state = (to: string): Said => {
    const now = timers.now()
    return {
      type: 'state',
      to,
      records: [...records]
        .filter(([, { until }]) => now < until)
        .map(([key, { record, until }]) => ({ key, ...record, ttlMs: until - now })),
      locks: [...locks].map(([key, { owner = '', fencingToken, until }]) => {
        return { key, owner, fencingToken, ttlMs: Math.max(0, until - now) }
      }),
    }
  }

  const hear = (message: Message): void => {
    const { from, id, type } = message
    const isOwn = from === tab
    if (!isOwn && type !== 'sync') others.add(from)
    if (type === 'hello' && !isOwn && hasJoined) post(state(from))
    if (type === 'bye') others.delete(from)
    if (type === 'acknowledged' && message.to === tab) acknowledge(message.which, from)
    if (type === 'state') {
      for (const { key, generation, sealed, ttlMs } of message.records) {
        keep(key, { generation, sealed }, ttlMs, `${from}.${id}`)
      }
      for (const lock of message.locks) keepLock(lock)
      if (message.to === tab) answered()
    }
    if (type === 'record') {
      const { key, generation, sealed, ttlMs } = message
      keep(key, { generation, sealed }, ttlMs, `${from}.${id}`)
      if (!isOwn) post({ type: 'acknowledged', to: from, which: id })
    }
    if (type === 'lock') keepLock(message)
    if (type === 'unlock') free(message.key, message.owner)
    if (!isOwn) return
    heard.get(id)?.()
    heard.delete(id)
  }
  const acknowledge = (which: number, from: string): void => {
    const waiting = unacknowledged.get(which)
    waiting?.by.delete(from)
    if (waiting?.by.size === 0) waiting.done()
  }
  const allAcknowledge = async (id: number): Promise<void> => {
    if (others.size === 0) return
    const by = new Set(others)
    await new Promise<void>((resolve) => {
      const end = timers.after(answerMs, resolve)
      const done = (): void => {
        end()
        resolve()
      }
      unacknowledged.set(id, { by, done })
    })
    unacknowledged.delete(id)
    for (const silent of by) others.delete(silent)
  }
  const join = (): Promise<void> =>
    new Promise<void>((resolve) => {
      const end = timers.after(answerMs, resolve)
      answered = () => {
        end()
        resolve()
      }
      post({ type: 'hello' })
    }).then(() => void (hasJoined = true))

  listener.onmessage = ({ data }) => {
    const message = readMessage(data)
    if (message) hear(message)
  }
  let joining = join()
  // What was said meanwhile was queued. A page that comes back from the bfcache may have missed it in some browsers.
  platform.watch(leave, () => void (joining = join()))

  return {
    joined: () => joining,
    sync: () => say({ type: 'sync' }),
    record: (key) => recordOf(key)?.record,
    lock: (key) => locks.get(key),
    loseLock(key, fencingToken) {
      if (locks.get(key)?.fencingToken !== fencingToken) return
      locks.set(key, { owner: undefined, fencingToken: fencingToken + 1, until: 0 })
    },
    say,
    async write(key, { generation, sealed }, ttlMs) {
      const id = post({ type: 'record', key, generation, sealed, ttlMs })
      const all = allAcknowledge(id)
      await waitToHear(id)
      await all
      return recordOf(key)?.by === `${tab}.${id}`
    },
  }
}
