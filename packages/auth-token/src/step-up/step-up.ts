/**
 * Answers challenges that ask for a better token: for further scopes, or for a fresher or stronger authentication.
 *
 * @module @svc/auth-token/step-up
 */
import { check, checkFunctions, checkOptions, type OptionNames } from '@svc/auth-hooks/scheme'
import type { TokenAuth } from '../session-scheme.ts'
import { answering } from './answering.ts'
import { areNames, namesIn } from './demand.ts'
import { type StepUp, toStepUp, type Wanted } from './wanted.ts'

export { stepUpOf } from './errors.ts'
export type { StepUp } from './wanted.ts'

/** Options of {@link stepUp}. */
export interface StepUpOptions {
  /**
   * Returns the session for what is wanted: at first for `scope`, and then for each further set that a server asks for. What
   * is wanted must tell its logins apart, as options of them or in their `credentials`. A token for it goes to every server
   * that the session covers: return `undefined` for what none of them may ask for, or no login here gives.
   */
  session: (wanted: StepUp) => TokenAuth | undefined
  /** The scopes to ask for at first, separated by blanks. What servers ask for is added to them. */
  scope: string
  /**
   * The time, in epoch milliseconds.
   *
   * @default `Date.now`
   */
  clock?: (() => number) | undefined
}

const caller = '[@svc/auth-token] stepUp'
const optionNames: OptionNames<StepUpOptions> = { session: 'auth', scope: 'scopes', clock: 'now' }

/**
 * Answers a challenge of the server: `insufficient_scope` by a login for all scopes that were asked for so far,
 * `insufficient_user_authentication` by one with its `acr_values` and `max_age`, and the `claims` of Azure by a new token, and
 * then by a login with them. The request is sent again once. There is one login for all that ask for the same, and its token is
 * that of every request from then on.
 *
 * @throws TypeError at construction, if an option is wrong; the message names it.
 * @throws AuthError from the returned scheme, beside those of its session, which says what the request needs: that of the
 * login if it fails; `ERR_AUTH_SIGN_IN_NEEDED` if `session` returns none; `ERR_AUTH_CHALLENGE` if the server asks again for
 * what it was given, for what cannot be asked for, or too often; `ERR_AUTH_BODY` if the body cannot be sent again.
 * @example
 * import { authFetch, createSessionAuth } from '@svc/auth-token'
 * import { clientCredentials } from '@svc/auth-token/oauth2'
 * import { stepUp } from '@svc/auth-token/step-up'
 *
 * const baseUrl = 'https://api.example.com'
 * const client = { issuer: 'https://login.example.com', clientId: 'reports', clientSecret: 'a secret' }
 * const auth = stepUp({
 *   scope: 'read:reports',
 *   session: (wanted) => createSessionAuth({ baseUrl, ...clientCredentials({ ...client, ...wanted }) }),
 * })
 * const apiFetch = authFetch(auth, { baseUrl })
 * await apiFetch('/reports', { method: 'POST', body: '{}' })
 * @see https://www.rfc-editor.org/rfc/rfc6750#section-3.1
 * @see https://www.rfc-editor.org/rfc/rfc9470
 */
export function stepUp(options: StepUpOptions): TokenAuth {
  const { session, scope, clock = () => Date.now() } = checkOptions(options, caller, optionNames)
  check(typeof session === 'function', caller, 'session must be a function')
  checkFunctions({ clock }, caller)
  const scopes = typeof scope === 'string' ? namesIn(scope) : []
  check(scopes.length > 0 && areNames(scopes), caller, 'scope must be names, separated by blanks')
  const wanted: Wanted = { scopes, acrValues: [] }
  const open = (all: Wanted): TokenAuth | undefined => {
    const opened = session(toStepUp(all))
    const isSession = typeof opened?.getToken === 'function'
    const what = 'session must return what createSessionAuth or createTokenAuth returns'
    check(isSession || (opened === undefined && all !== wanted), caller, what)
    return opened
  }
  // That of the first is looked at.
  return answering({ wanted, session: open(wanted) as TokenAuth }, clock, open)
}
