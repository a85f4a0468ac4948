import {
  check,
  checkOptions,
  isHttpToken,
  type OptionNames,
  parseBaseUrl,
} from '@svc/auth-hooks/scheme'
import {
  type CredentialsProvider,
  readCredentialsOption,
  readUserCredentials,
  type UserCredentials,
} from './credentials.ts'
import { logInToService, serviceLifetimeMs } from './login/service-login.ts'
import {
  readSessionOptions,
  type SessionOptions,
  sessionOptionNames,
} from './session/session-options.ts'
import {
  createSessionScheme,
  type SessionSchemeSettings,
  type TokenAuth,
} from './session-scheme.ts'

/** Options of {@link createTokenAuth}. */
export interface TokenAuthOptions extends SessionOptions {
  /**
   * The environment's base URL; the login goes to `/user/login` below it, and the token to whatever is
   * below its path. https, or http on loopback and with `allowInsecureHttp`.
   */
  baseUrl: string | URL
  /** The user who logs in, or a function called at each login, so that a password can change. */
  credentials: UserCredentials | CredentialsProvider
  /**
   * Sent as `UniqueSession`. Because a login may then end the session of the previous token, an early
   * renewal waits until no request with that token is in flight, for at most half of the remaining time.
   *
   * @default `true`
   */
  uniqueSession?: boolean | undefined
  /**
   * The `<prefix>` in the header names `x-<prefix>-security-token` and `x-<prefix>-route-token`.
   *
   * @default `'svc'`
   */
  vendorPrefix?: string | undefined
}

const caller = '[@svc/auth-token] createTokenAuth'

const optionNames: OptionNames<TokenAuthOptions> = {
  baseUrl: 'endpoint host url prefixUrl',
  credentials: 'user username password auth',
  uniqueSession: '',
  vendorPrefix: '',
  ...sessionOptionNames,
}

/**
 * Logs in when a token is first needed, shares that login among all callers, renews the token before it
 * expires, and logs in again if the service refuses it. Nothing is sent until a token is needed.
 *
 * Schemes for the same login are one session in the process, so it does not matter where they are made: at
 * the start, in a request handler, or for each visitor. A token is thus no proof that a password is still
 * right; `session: 'own'` logs in to check it.
 *
 * @throws TypeError at construction, if an option is invalid; the message names it.
 * @throws AuthError from the returned scheme: `ERR_AUTH_CREDENTIALS` if the credentials function fails or
 * returns unusable credentials; one of `ERR_AUTH_LOGIN_…` if the login fails; `ERR_AUTH_URL` if a server
 * might read a segment of the path as a dot segment.
 * @example
 * import { authFetch, createTokenAuth } from '@svc/auth-token'
 *
 * const baseUrl = 'https://search.example.com'
 * const credentials = { username: 'reader@example.com', password: 'a password' }
 * const serviceFetch = authFetch(createTokenAuth({ baseUrl, credentials }), { baseUrl })
 * const response = await serviceFetch('/user/groups')
 * console.log(await response.json())
 * @see Interface of the service, sections 4.1 and 5.1
 * @see https://www.rfc-editor.org/rfc/rfc7519
 */
export function createTokenAuth(options: TokenAuthOptions): TokenAuth {
  return createSessionScheme(readTokenAuthOptions(options))
}

export function readTokenAuthOptions(options: TokenAuthOptions): SessionSchemeSettings {
  const hint = '; a login of your own is for createSessionAuth'
  const checked = checkOptions(options, caller, optionNames, hint)
  const { credentials, uniqueSession = true, vendorPrefix = 'svc' } = checked
  const base = parseBaseUrl(checked.baseUrl, caller)
  check(typeof uniqueSession === 'boolean', caller, 'uniqueSession must be true or false')
  check(isHttpToken(vendorPrefix), caller, 'vendorPrefix must be valid in the name of a header')
  const loginUrl = new URL(base)
  loginUrl.pathname = `${base.pathname.replace(/\/+$/, '')}/user/login`
  const tokenHeader = `x-${vendorPrefix}-security-token`
  const routeHeader = `x-${vendorPrefix}-route-token`
  const title = `POST ${loginUrl.href}`
  const settings = readSessionOptions(
    checked,
    base,
    caller,
    {
      name: 'token',
      origin: base.origin,
      title,
      uniqueSession,
      defaultLifetimeMs: serviceLifetimeMs,
      account: [loginUrl.href, tokenHeader],
      logIn: (context) => logInToService(loginUrl, routeHeader, uniqueSession, context),
    },
    readCredentialsOption(credentials, readUserCredentials, caller, title),
  )
  return {
    ...settings,
    sensitiveHeaders: Object.freeze([`x-${vendorPrefix}-*`]),
    headers: (token) => [
      [tokenHeader, token],
      [routeHeader, 'login'],
    ],
    loginHref: loginUrl.href,
  }
}
