import { emit } from '@svc/auth-hooks/scheme'
import { isLatching, longestPauseMs } from './back-off.ts'
import { requestLogin } from './login.ts'
import { type Grant, isAhead, type Pause, type Token } from './token.ts'
import type { TokenAuthSettings } from './options.ts'
import type { Need, Outcome, Sharing } from './sharing/sharing.ts'
import { type HeldCredentials, sameCredentials } from './credentials.ts'

/** What a login has to know of its session, at the time when it asks. */
export interface LoginView {
  readonly need: Need
  /** What keeps from a login, unless the session has given this one up. */
  readonly pause: () => Pause | undefined
  /** The token that is there and was not refused. */
  readonly held: () => Token | undefined
  /** The token that the session had last, refused or not. */
  readonly lastValue: string | undefined
  /** How many logins in a row, the next one included, come of refused tokens. */
  readonly replacements: () => number
}

/** Gets tokens: from the service, or from a store that others share. */
export interface Login {
  obtain(view: LoginView, signal: AbortSignal): Promise<Outcome>
  /** Whether there is a store, and it was not away just now. */
  asksStore(): boolean
  /** The credentials that were used last are left alone until the pause is over. */
  latched(pause: Pause): void
  /** Whether an error only says again that these credentials were refused. */
  isLatchedBy(error: unknown): boolean
  /** No credentials count as refused any more. */
  forgetRefusals(): void
  /** What stands in the store now is of no use to this session. */
  ignoreStore(): void
}

/** For so long a store that is away is not asked again, unless a login is to be made. */
const storeAwayMs = 10_000
/** How many refused credentials are remembered. */
const mostRefused = 8

/** A login that is not made yet. */
export function createLogin(settings: TokenAuthSettings): Login {
  const { clock, loginUrl, onEvent, store } = settings
  let share: Sharing | undefined
  let ignoresStore = false
  let storeRetryAt = 0
  let known: HeldCredentials | undefined
  /** Those that were refused since the last login that was not. */
  let refused: readonly { readonly credentials: HeldCredentials; readonly pause: Pause }[] = []

  return {
    async obtain(view, signal) {
      const before = view.need === 'look' || view.need === 'replace' ? known : undefined
      const credentials = before ?? (await settings.readCredentials(signal))
      signal.throwIfAborted()
      known = credentials
      const checkPause = (): void => {
        const own = refused.find((one) => sameCredentials(one.credentials, credentials))?.pause
        if (own && isAhead(own.retryAt, clock(), longestPauseMs)) throw own.error
        const error = view.pause()?.error
        if (error && !isLatching(error)) throw error
      }
      const logIn = async (): Promise<Grant> => {
        // An abort that came meanwhile has been answered, and nothing may be sent after it.
        signal.throwIfAborted()
        ignoresStore = false
        emit(onEvent, () => ({ type: 'login.start', scheme: 'token', origin: loginUrl.origin }))
        return requestLogin(settings, credentials, signal)
      }
      if (!store) {
        checkPause()
        return { name: 'issued', grant: await logIn() }
      }
      // Nobody who shares nothing loads what sharing needs.
      const { createSharing } = await import('./sharing/sharing.ts')
      share ??= createSharing(store, settings)
      const storeIsAway = (): void => void (storeRetryAt = clock() + storeAwayMs)
      const turn = { ...view, credentials, ignoresStore, checkPause, logIn, storeIsAway }
      return share(turn, signal)
    },
    asksStore: () => store !== undefined && !isAhead(storeRetryAt, clock(), storeAwayMs),
    latched(pause) {
      const credentials = known
      if (!credentials) return
      const others = refused.filter((one) => !sameCredentials(one.credentials, credentials))
      refused = [...others.slice(1 - mostRefused), { credentials, pause }]
    },
    isLatchedBy: (error) => refused.some(({ pause }) => pause.error === error),
    forgetRefusals() {
      refused = []
    },
    ignoreStore() {
      ignoresStore = true
      storeRetryAt = 0
    },
  }
}
