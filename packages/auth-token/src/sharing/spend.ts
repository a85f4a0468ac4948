import { AuthError } from '@svc/auth-hooks'
import { causesOf } from '../network-error.ts'
import type { SharingSettings } from '../token.ts'
import { storeUnavailable } from './checked-store.ts'
import type { StoreSlot } from './store-slot.ts'

/** A refresh token that is about to be sent. */
export interface SpentRefreshToken {
  /** `undefined` if the login has none but that of its credentials. */
  readonly refreshToken: string | undefined
  /**
   * Takes note that the login failed. Where the service surely did not exchange the refresh token, it may be sent again.
   *
   * @throws AuthError `ERR_AUTH_REFRESH_LOST` where it may have.
   */
  failed(error: unknown): Promise<void>
  /** Keeps the next refresh token for this process, since the store did not take it. */
  keep(refreshToken: string | undefined): void
}

/** The next refresh tokens that no store has, by the login that they are of. */
const kept = new Map<string, string>()

/** The failures of a request that was never sent. */
const notSent = /^(?:ECONNREFUSED|ENOTFOUND|EAI_\w+|ConnectionRefused)$/

/**
 * Writes down that the refresh token is being sent, so that nobody sends it a second time: a lock that runs out
 * cannot promise that.
 *
 * @throws AuthError `ERR_AUTH_REFRESH_LOST` if it was sent before, and nobody knows what came of it.
 * @see https://www.rfc-editor.org/rfc/rfc9700#section-4.14.2
 */
export async function spend(
  slot: StoreSlot,
  fencingToken: () => number,
  settings: SharingSettings,
): Promise<SpentRefreshToken> {
  const { clock, spending, title } = settings
  const before = slot.content?.spending
  const own = before && kept.get(before.id)
  const refreshToken = own ?? slot.content?.refreshToken
  if (!spending) return { refreshToken, failed: async () => {}, keep() {} }

  const now = clock()
  const mayBeSentAgain = !before || own !== undefined || now < before.since + spending.reuseGraceMs
  if (!mayBeSentAgain) throw refreshLost(title)
  const id = crypto.randomUUID()
  const marked = { ...slot.content, spending: { id, since: now } }
  // Another has the lock by now, and may be about to send it.
  if (!(await slot.write(marked, fencingToken()))) throw storeUnavailable
  return {
    refreshToken,
    async failed(error) {
      if (!isUnspent(error)) throw refreshLost(title, error)
      try {
        await slot.write({ ...slot.content, spending: before }, fencingToken())
      } catch {
        // It was said to be sent, and is not sent again.
      }
    },
    keep(next) {
      kept.set(id, next ?? refreshToken ?? '')
    },
  }
}

/** Tells if a login failed before the service could exchange the refresh token, or by its own word. */
function isUnspent(error: unknown): boolean {
  const { status = 0 } = AuthError.is(error) ? error : {}
  const isRefused = status >= 400 && status < 500 && status !== 408
  return isRefused || causesOf(error).some(({ code }) => notSent.test(code))
}

function refreshLost(title: string, cause?: unknown): AuthError {
  return new AuthError(
    'ERR_AUTH_REFRESH_LOST',
    `[@svc/auth-token] ${title} sent the refresh token, and the response with the next one is lost: ` +
      'sign in anew for another, or set reuseGraceMs if the server takes it twice',
    cause === undefined ? {} : { cause },
  )
}
