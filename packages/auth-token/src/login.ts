import { AuthError } from '@svc/auth-hooks'
import { emit } from '@svc/auth-hooks/scheme'
import { isLatching } from './back-off.ts'
import { requestLogin } from './login-request.ts'
import { type Grant, isAhead, type Pause, type Token } from './session-state.ts'
import type { TokenAuthSettings } from './token-auth-options.ts'
import type { Need, Outcome, Sharing } from './token-sharing.ts'
import { type HeldCredentials, sameCredentials } from './user-credentials.ts'

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
  let refused: readonly HeldCredentials[] = []

  const isRefused = (credentials: HeldCredentials): boolean =>
    refused.some((one) => sameCredentials(one, credentials))
  const remember = (credentials: HeldCredentials): void => {
    if (!isRefused(credentials)) refused = [...refused.slice(1 - mostRefused), credentials]
  }

  return {
    async obtain(view, signal) {
      const before = view.need === 'look' ? known : undefined
      const credentials = before ?? (await settings.readCredentials(signal))
      known = credentials
      const checkPause = (): void => {
        const error = view.pause()?.error
        if (error && (isRefused(credentials) || !isLatching(error))) throw error
      }
      const logIn = async (): Promise<Grant> => {
        // An abort that came meanwhile has been answered, and nothing may be sent after it.
        signal.throwIfAborted()
        emit(onEvent, () => ({ type: 'login.start', scheme: 'token', origin: loginUrl.origin }))
        try {
          return await requestLogin(settings, credentials, signal)
        } catch (error) {
          if (AuthError.is(error) && isLatching(error)) remember(credentials)
          throw error
        }
      }
      if (!store) {
        checkPause()
        return { name: 'issued', grant: await logIn() }
      }
      // Nobody who shares nothing loads what sharing needs.
      const { createSharing } = await import('./token-sharing.ts')
      share ??= createSharing(store, settings)
      const storeIsAway = (): void => void (storeRetryAt = clock() + storeAwayMs)
      const turn = { ...view, credentials, ignoresStore, checkPause, logIn, storeIsAway }
      ignoresStore = false
      const outcome = await share(turn, signal)
      if (outcome.name === 'latched') remember(credentials)
      return outcome
    },
    asksStore: () => store !== undefined && !isAhead(storeRetryAt, clock(), storeAwayMs),
    forgetRefusals() {
      refused = []
    },
    ignoreStore() {
      ignoresStore = true
      storeRetryAt = 0
    },
  }
}
