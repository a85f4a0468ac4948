import { AuthError } from '@svc/auth-hooks'
import { wasNeverSent } from '../login/network-error.ts'
import type { BeforeSending, Grant } from '../token.ts'
import type { SharingSettings } from '../session/session-options.ts'
import type { SharedContent, WireNote } from './sealed-record.ts'
import { type Opened, storeLimitMs, type StoreSlot, storeUnavailable } from './store-slot.ts'

/** Lets a login that was held up read what has arrived. */
const lateReadMs = 1000
const mostSwaps = 100
/** The pauses before a result that the store did not take is written again, besides at each use. */
const retriesMs = [250, 1000, 4000]

/**
 * Deals with a note that a refresh token is on the wire, and tells if it is to be waited for: its sender may still be
 * at work, or the record was just settled. If not, the refresh token may be sent.
 *
 * @param quietMs - The time that was waited while the record stayed as it is.
 * @throws AuthError `ERR_AUTH_REFRESH_LOST` if it was sent, and nothing came of it.
 */
export async function hasToWaitForNote(
  slot: StoreSlot,
  opened: Opened,
  quietMs: number,
  settings: SharingSettings,
): Promise<boolean> {
  const { content } = opened
  const note = content.spending
  if (!note) return false
  const own = idsOf(note).find((id) => unstored.has(id))
  if (own !== undefined) {
    await settle(own)
    return true
  }
  if (isInGrace(note, settings)) return false
  if (note.lostAt === undefined) {
    if (quietMs < (note.lastsMs ?? wireMs(settings))) return true
    // Beside the note, not in its place: the result of the sender counts whenever it comes.
    const spending = { ...note, lostAt: settings.clock() }
    if (!(await slot.swap(opened, { ...content, spending }))) return true
  }
  throw refreshLost(settings.title)
}

/** The end of a login, with the next content of its record if that is still to be written, or as it was written. */
export type Sent =
  | {
      readonly grant: Grant
      readonly content: SharedContent
      readonly written?: Opened | undefined
    }
  | { readonly error: unknown }

/**
 * Makes a login that sends the refresh token of a record, and stores its result. Before it is sent, the store confirms
 * a note that it is on the wire: a lock that runs out cannot keep another process from sending it, and this one may
 * die before it can tell.
 *
 * @param opened - The record, as it was read under the lock.
 * @returns `undefined` if nothing was sent, since another was faster.
 * @throws AuthError `ERR_AUTH_REFRESH_LOST` if the server may have exchanged the refresh token.
 * @throws storeUnavailable if nothing was sent, since the store did not confirm the note.
 * @see https://www.rfc-editor.org/rfc/rfc9700#section-4.14.2
 */
export async function sendNoted(
  slot: StoreSlot,
  opened: Opened,
  fencingToken: () => number,
  settings: SharingSettings,
  send: (beforeSending: BeforeSending) => Promise<Sent>,
): Promise<Sent | undefined> {
  const { content, generation } = opened
  const before = content.spending
  const id = crypto.randomUUID()
  const note: WireNote = {
    id,
    since: before?.since ?? settings.clock(),
    lastsMs: wireMs(settings),
    ...(before && { earlier: idsOf(before) }),
  }
  let noting: Promise<Opened | undefined> | undefined
  /** The requests that may have spent it. */
  let unanswered = 0
  let isOver = false
  const sent = await send(async () => {
    noting ??= slot.swap(opened, { ...content, spending: note }, fencingToken())
    // An end of the login that came meanwhile has counted this as not sent.
    if (!(await noting) || isOver) throw storeUnavailable
    unanswered += 1
    return (cause?) => {
      if (cause === undefined || wasNeverSent(cause, isEarlyCode)) unanswered -= 1
    }
  })
  isOver = true
  if ('grant' in sent) {
    const result = { name: 'result', content: sent.content, spent: content.refreshToken } as const
    return { ...sent, written: await settleSoon(slot, id, result, settings) }
  }
  if (!noting) return sent
  const noted = await noting.catch(() => storeUnavailable)
  if (!noted) return undefined
  if (unanswered > 0) {
    await settleSoon(slot, id, { name: 'lost', at: settings.clock() }, settings)
    if (isInGrace(note, settings)) return sent
    throw refreshLost(settings.title, sent.error)
  }
  await settleSoon(slot, id, { name: 'unspent', base: generation }, settings)
  if (noted === storeUnavailable) throw storeUnavailable
  return sent
}

/** What became of a refresh token that this process noted as on the wire. */
export type Settlement =
  /** The server never saw it, refused or redirected it: the note is taken back. */
  | { readonly name: 'unspent'; readonly base: number }
  /** The response, with the next refresh token, came for the one that was `spent`. */
  | { readonly name: 'result'; readonly content: SharedContent; readonly spent: string | undefined }
  /** No response came. The note stays, and tells others that waiting is of no use. */
  | { readonly name: 'lost'; readonly at: number }

/** The settlements that a store has not taken yet, by the id of their note, for all sessions of this process. */
const unstored = new Map<string, { readonly slot: StoreSlot; readonly settlement: Settlement }>()

/** Returns the notes of a slot whose outcome its store has not taken. */
export function unstoredIn(slot: StoreSlot | undefined): readonly string[] {
  // Each request of the session asks.
  if (unstored.size === 0) return []
  return [...unstored].flatMap(([id, entry]) => (entry.slot === slot ? [id] : []))
}

/** Writes what became of a note now, or else a few times more; then each use of the session does. */
export async function settleSoon(
  slot: StoreSlot,
  id: string,
  settlement: Settlement,
  { timers }: SharingSettings,
): Promise<Opened | undefined> {
  unstored.set(id, { slot, settlement })
  const retry = async (): Promise<void> => {
    for (const retryMs of retriesMs) {
      await new Promise<void>((resolve) => void timers.after(retryMs, resolve))
      if (!unstored.has(id)) return
      await settle(id).catch(() => {})
    }
  }
  return settle(id).catch(() => void retry())
}

/**
 * Writes what became of a note, also without the lock: only its sender knows.
 *
 * @throws storeUnavailable if the store is away.
 */
export async function settle(id: string): Promise<Opened | undefined> {
  for (let turn = 0; turn < mostSwaps; turn += 1) {
    const entry = unstored.get(id)
    if (!entry) return undefined
    const opened = await entry.slot.read('any')
    const next = settled(opened, id, entry.settlement)
    const written = next && (await entry.slot.swap(opened, next))
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
  if (!isNoted) return generation === settlement.base ? content : undefined
  const [last, ...earlier] = idsOf(note).filter((other) => other !== id)
  return { ...content, spending: last === undefined ? undefined : { ...note, id: last, earlier } }
}

/** Returns the ids of all logins whose result a note stands for. */
function idsOf({ id, earlier = [] }: WireNote): readonly string[] {
  return [id, ...earlier]
}

/** Returns the time of a sender that is not stopped: the store takes the note, it logs in, and reads and writes the record. */
function wireMs({ loginTimeoutMs }: SharingSettings): number {
  return loginTimeoutMs + lateReadMs + 3 * storeLimitMs(loginTimeoutMs)
}

/** Tells if the server takes the refresh token once more. A clock that is behind knows nothing of the time since then. */
function isInGrace({ since }: WireNote, { clock, rotation }: SharingSettings): boolean {
  const now = clock()
  return now >= since && now < since + (rotation?.reuseGraceMs ?? 0)
}

function refreshLost(title: string, cause?: unknown): AuthError {
  return new AuthError(
    'ERR_AUTH_REFRESH_LOST',
    `[@svc/auth-token] ${title} sent the refresh token, and the response with the next one is lost: ` +
      'sign in anew for another, or set reuseGraceMs if the server takes it twice',
    cause === undefined ? {} : { cause },
  )
}

/**
 * The codes of failures before anything is sent, where the error does not tell its step: of Node and undici while they
 * resolve or connect, of Bun, and of a TLS handshake. A code of TLS that reading may give as well is not one of them.
 *
 * @see https://nodejs.org/api/errors.html#common-system-errors
 * @see https://nodejs.org/api/tls.html#x509-certificate-error-codes
 */
const earlyCodes: readonly RegExp[] = [
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_\w+|UND_ERR_CONNECT_TIMEOUT)$/,
  /^(?:ConnectionRefused|FailedToOpenSocket|ERR_INVALID_URL)$/,
  /^(?:CERT_\w+|CRL_\w+|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|HOSTNAME_MISMATCH)$/,
  /^(?:UNABLE_TO_\w+|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED)$/,
  /^ERR_TLS_(?:CERT_ALTNAME_INVALID|CERT_ALTNAME_FORMAT|HANDSHAKE_TIMEOUT)$/,
  // Plain HTTP at a port that should have TLS, and what a server says before it takes a connection.
  /^ERR_SSL_(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST|UNSUPPORTED_PROTOCOL)$/,
  /^ERR_SSL_(?:SSLV3_ALERT_HANDSHAKE_FAILURE|(?:SSL\/)?TLSV1_(?:ALERT_PROTOCOL_VERSION|UNRECOGNIZED_NAME))$/,
]

/** Tells if an error proves by its code that nothing was sent. Another code may be that of a request that was. */
export function isEarlyCode(code: string): boolean | undefined {
  return code === '' ? undefined : earlyCodes.some((pattern) => pattern.test(code))
}
