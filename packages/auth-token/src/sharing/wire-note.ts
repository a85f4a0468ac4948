import { AuthError } from '@svc/auth-hooks'
import type { SharingSettings } from '../token.ts'
import { storeLimitMs } from './checked-store.ts'
import type { SharedContent, WireNote } from './sealed-record.ts'
import type { Opened, StoreSlot } from './store-slot.ts'

/** What became of a refresh token that this process noted as on the wire, until the store says so, too. */
export type Settlement =
  /** The server never saw it, refused or redirected it: the note is taken back. */
  | { readonly name: 'unsent'; readonly base: number }
  /** The response, with the next refresh token, came for the one that was `spent`. */
  | {
      readonly name: 'result'
      readonly content: SharedContent
      readonly spent: string | undefined
    }
  /** No response came. The note stays, and tells others that waiting is of no use. */
  | { readonly name: 'lost'; readonly at: number }

/** The settlements that the store has not taken yet, by the id of their note, for all sessions of this process. */
const unstored = new Map<string, Settlement>()
const mostUnstored = 1000
const mostSwaps = 100

/** Lets a login that was held up read what has arrived. */
const graceMs = 1000

/** Returns the time within which a sender that is not stopped stores its result, at the third attempt. */
export function wireMs({ loginTimeoutMs }: Pick<SharingSettings, 'loginTimeoutMs'>): number {
  return loginTimeoutMs + graceMs + 3 * storeLimitMs(loginTimeoutMs)
}

/**
 * Decides what the note of another sender means: `none` if the refresh token may be sent, `wait` if its sender may
 * still be at work, or if the record was just settled.
 *
 * @param quietMs - The time that was waited while the record stayed as it is.
 * @throws AuthError `ERR_AUTH_REFRESH_LOST` if it was sent, and nothing came of it.
 */
export async function meetNote(
  slot: StoreSlot,
  opened: Opened,
  quietMs: number,
  settings: SharingSettings,
): Promise<'none' | 'wait'> {
  const { content } = opened
  const note = content.spending
  if (!note) return 'none'
  const own = idsOf(note).find((id) => unstored.has(id))
  if (own !== undefined) {
    await settle(slot, own)
    return 'wait'
  }
  if (isInGrace(note, settings)) return 'none'
  if (note.lostAt !== undefined) throw refreshLost(settings.title)
  if (quietMs < (note.lastsMs ?? wireMs(settings))) return 'wait'
  // Beside the note, not in its place: the result of the sender counts whenever it comes.
  const spending = { ...note, lostAt: settings.clock() }
  if (!(await slot.swap(opened, { ...content, spending }))) return 'wait'
  throw refreshLost(settings.title)
}

/** Tells if the server takes the refresh token once more. A clock that is behind knows nothing of the time since then. */
export function isInGrace({ since }: WireNote, { clock, spending }: SharingSettings): boolean {
  const now = clock()
  return now >= since && now < since + (spending?.reuseGraceMs ?? 0)
}

/** Returns the ids of all logins whose result a note stands for. */
export function idsOf({ id, earlier = [] }: WireNote): readonly string[] {
  return [id, ...earlier]
}

/** Remembers what became of a note until {@link settle} has written it. */
export function keep(id: string, settlement: Settlement): void {
  unstored.set(id, settlement)
  const [oldest = ''] = unstored.keys()
  if (unstored.size > mostUnstored) unstored.delete(oldest)
}

export function isUnstored(id: string): boolean {
  return unstored.has(id)
}

/**
 * Writes what became of a note, whoever holds the lock: only its sender knows.
 *
 * @throws storeUnavailable if the store is away.
 */
export async function settle(slot: StoreSlot, id: string): Promise<Opened | undefined> {
  for (let turn = 0; turn < mostSwaps; turn += 1) {
    const settlement = unstored.get(id)
    if (!settlement) return undefined
    const opened = await slot.read('any')
    const next = settled(opened, id, settlement)
    const written = next && (await slot.swap(opened, next))
    if (next && !written) continue
    unstored.delete(id)
    return written
  }
  return undefined
}

/** Returns the next content of a record; `undefined` if it is settled already. */
export function settled(
  { generation, content }: Opened,
  id: string,
  settlement: Settlement,
): SharedContent | undefined {
  const note = content.spending
  const isNoted = note !== undefined && idsOf(note).includes(id)
  if (settlement.name === 'result') {
    // A store may have gone back to the record before the note. One that has a later refresh token is left.
    const isBefore = generation === 0 || content.refreshToken === settlement.spent
    return isNoted || isBefore ? settlement.content : undefined
  }
  if (settlement.name === 'lost') {
    return isNoted ? { ...content, spending: { ...note, lostAt: settlement.at } } : undefined
  }
  // A write of the note that is on its way yet finds a later generation, and fails.
  if (!isNoted) return generation <= settlement.base ? content : undefined
  const [last, ...earlier] = idsOf(note).filter((other) => other !== id)
  return { ...content, spending: last === undefined ? undefined : { ...note, id: last, earlier } }
}

export function refreshLost(title: string, cause?: unknown): AuthError {
  return new AuthError(
    'ERR_AUTH_REFRESH_LOST',
    `[@svc/auth-token] ${title} sent the refresh token, and the response with the next one is lost: ` +
      'sign in anew for another, or set reuseGraceMs if the server takes it twice',
    cause === undefined ? {} : { cause },
  )
}
