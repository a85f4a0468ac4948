import type { SendingOutcome, Spender } from '../token.ts'
import type { Grant, SharingSettings } from '../token.ts'
import { storeUnavailable } from './checked-store.ts'
import type { Claim } from './claim.ts'
import type { SharedContent, WireNote } from './sealed-record.ts'
import type { Opened, StoreSlot } from './store-slot.ts'
import { idsOf, isInGrace, isUnstored, keep, refreshLost, settle, wireMs } from './wire-note.ts'

/** A refresh token that is about to be sent. */
export interface Refresh extends Spender {
  /**
   * Settles the note after the login failed. Resolves to `false` if nothing was sent, since another was faster.
   *
   * @throws AuthError `ERR_AUTH_REFRESH_LOST` if the server may have exchanged the refresh token.
   * @throws storeUnavailable if nothing was sent, since the store did not confirm the note.
   */
  failed(error: unknown): Promise<boolean>
  /** Stores the result. Resolves to `undefined` if the store did not take it; it is written again until it does. */
  succeeded(content: SharedContent): Promise<Opened | undefined>
}

/** The pauses before a result that the store did not take is written again, besides at each use. */
const pausesMs = [250, 1000, 4000]

/**
 * Prepares to send a refresh token. Before it is sent, the store confirms a note that it is on the wire: a lock that
 * runs out cannot keep another process from sending it, and this one may die before it can tell.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9700#section-4.14.2
 */
export function prepareRefresh(
  slot: StoreSlot,
  { opened, fencingToken }: Claim,
  settings: SharingSettings,
  onUnstored: (id: string) => void,
): Refresh {
  const { clock, timers, title } = settings
  const { content, generation } = opened
  const before = content.spending
  const id = crypto.randomUUID()
  const note: WireNote = {
    id,
    since: before?.since ?? clock(),
    lastsMs: wireMs(settings),
    ...(before && { earlier: idsOf(before) }),
  }
  let marking: Promise<'noted' | 'unknown' | 'superseded'> | undefined
  const sendings: { outcome: SendingOutcome }[] = []
  let isOver = false

  const mark = async (): Promise<'noted' | 'unknown' | 'superseded'> => {
    try {
      const written = await slot.swap(opened, { ...content, spending: note }, fencingToken())
      return written ? 'noted' : 'superseded'
    } catch {
      return 'unknown'
    }
  }
  /** Tries now and a few times more; then the next use of the session does. */
  const settleSoon = async (): Promise<Opened | undefined> => {
    try {
      return await settle(slot, id)
    } catch {
      onUnstored(id)
      void retry()
      return undefined
    }
  }
  const retry = async (): Promise<void> => {
    for (const pauseMs of pausesMs) {
      await new Promise<void>((resolve) => void timers.after(pauseMs, resolve))
      if (!isUnstored(id)) return
      await settle(slot, id).catch(() => {})
    }
  }

  return {
    async beforeSending() {
      marking ??= mark()
      const marked = await marking
      // An end of the login that came meanwhile has counted this as not sent.
      if (marked !== 'noted' || isOver) throw storeUnavailable
      const sending: { outcome: SendingOutcome } = { outcome: 'unknown' }
      sendings.push(sending)
      return (outcome) => void (sending.outcome = outcome)
    },
    async failed(error) {
      isOver = true
      const marked = await marking
      if (marked === undefined) return true
      if (marked === 'superseded') return false
      if (sendings.some(({ outcome }) => outcome === 'unknown')) {
        keep(id, { name: 'lost', at: clock() })
        await settleSoon()
        if (isInGrace(note, settings)) return true
        throw refreshLost(title, error)
      }
      keep(id, { name: 'unsent', base: generation })
      await settleSoon()
      if (marked === 'unknown') throw storeUnavailable
      return true
    },
    succeeded(next) {
      isOver = true
      keep(id, { name: 'result', content: next, spent: content.refreshToken })
      return settleSoon()
    },
  }
}

/** Returns the content of a record with the result of a login. */
export function contentOf(
  { value, lifetimeMs, refreshToken }: Grant,
  last: SharedContent,
  replacements: number,
  { clock, purpose }: SharingSettings,
): SharedContent {
  const issuedAt = clock()
  const expiresAt = issuedAt + lifetimeMs
  const token = { value, purpose, issuedAt, expiresAt, replacements }
  return { token, refreshToken: refreshToken ?? last.refreshToken }
}
