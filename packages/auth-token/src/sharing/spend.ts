import { AuthError } from '@svc/auth-hooks'
import { causesOf } from '../login/network-error.ts'
import type { SharingSettings } from '../token.ts'
import { storeUnavailable } from './checked-store.ts'
import type { SharedContent } from './sealed-record.ts'
import type { StoreSlot } from './store-slot.ts'

/** A refresh token that is about to be sent. */
export interface SpentRefreshToken {
  /** `undefined` if the login has none but that of its credentials. */
  readonly refreshToken: string | undefined
  /** Writes down that it is being sent; absent for one that may be sent any number of times. */
  readonly beforeSending?: () => Promise<void>
  /**
   * Takes note that the login failed. Where the service surely did not exchange the refresh token, it may be sent again.
   *
   * @throws AuthError `ERR_AUTH_REFRESH_LOST` where it may have.
   */
  failed(error: unknown): Promise<void>
  /** Takes note that the store has the next refresh token. */
  stored(): void
  /** Keeps the next refresh token for this process, since the store did not take it. */
  keep(refreshToken: string | undefined): void
}

/**
 * The refresh tokens that this process may send although the store says that one is being sent, by that note's id:
 * the next ones that no store has, and those that it knows to be unspent.
 */
const kept = new Map<string, { readonly refreshToken: string | undefined }>()
const mostKept = 1000

/** The failures of a request that was never sent. */
const notSent = /^(?:ECONNREFUSED|ENOTFOUND|EAI_\w+|ConnectionRefused|UND_ERR_CONNECT_TIMEOUT)$/

/**
 * Prepares to send a refresh token, so that nobody sends it a second time: a lock that runs out cannot promise that.
 *
 * @throws AuthError `ERR_AUTH_REFRESH_LOST` if it was sent before, and nobody knows what came of it.
 * @see https://www.rfc-editor.org/rfc/rfc9700#section-4.14.2
 */
export function spend(
  slot: StoreSlot,
  fencingToken: () => number,
  { clock, spending, title }: SharingSettings,
): SpentRefreshToken {
  const before = slot.content?.spending
  const own = before && kept.get(before.id)
  const { refreshToken } = own ?? slot.content ?? {}
  if (!spending) return { refreshToken, failed: async () => {}, stored() {}, keep() {} }

  const id = crypto.randomUUID()
  // The server counts from the first time.
  const since = before && !own ? before.since : clock()
  /** Tells if the server takes it once more. A clock that is behind knows nothing of the time since then. */
  const isInGrace = (now = clock()): boolean => now >= since && now < since + spending.reuseGraceMs
  if (before && !own && !isInGrace()) throw refreshLost(title)

  let marking: Promise<boolean> | undefined
  let isSent = false
  let isOver = false
  const keep = (next: string | undefined): void => {
    kept.set(id, { refreshToken: next })
    const [oldest = ''] = kept.keys()
    if (kept.size > mostKept) kept.delete(oldest)
  }
  /** Resolves to `false` without the lock, too: another may be about to send it. */
  const note = async (noted: SharedContent['spending']): Promise<boolean> => {
    try {
      return await slot.write({ ...slot.content, spending: noted }, fencingToken())
    } catch {
      return false
    }
  }
  return {
    refreshToken,
    async beforeSending() {
      marking ??= note({ id, since })
      const isMarked = await marking
      // An end of the login that came meanwhile has gone by what was not sent yet.
      if (!isMarked || isOver) throw storeUnavailable
      isSent = true
    },
    async failed(error) {
      isOver = true
      if (!marking) return
      const isMarked = await marking
      if (isSent && !isUnspent(error)) {
        if (isInGrace()) return
        throw refreshLost(title, error)
      }
      keep(refreshToken)
      if (!isMarked) throw storeUnavailable
      // Where that fails, the next login of this process may send it all the same.
      await note(before)
    },
    stored() {
      if (before) kept.delete(before.id)
    },
    keep: (next) => keep(next ?? refreshToken),
  }
}

/** Tells if a login failed before the service could exchange the refresh token, or by its own word. */
function isUnspent(error: unknown): boolean {
  const { code, status = 0 } = AuthError.is(error) ? error : {}
  const isRefused = status >= 400 && status < 500 && status !== 408
  const isRedirected = code === 'ERR_AUTH_LOGIN_REDIRECT'
  return isRefused || isRedirected || causesOf(error).some((cause) => notSent.test(cause.code))
}

function refreshLost(title: string, cause?: unknown): AuthError {
  return new AuthError(
    'ERR_AUTH_REFRESH_LOST',
    `[@svc/auth-token] ${title} sent the refresh token, and the response with the next one is lost: ` +
      'sign in anew for another, or set reuseGraceMs if the server takes it twice',
    cause === undefined ? {} : { cause },
  )
}
