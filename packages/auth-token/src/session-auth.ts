import {
  chain,
  check,
  checkFunctions,
  checkOptions,
  isHttpToken,
  isThenable,
  type MaybePromise,
  type OptionNames,
  parseBaseUrl,
} from '@svc/auth-hooks/scheme'
import {
  type CredentialsProvider,
  readCredentialsOption,
  readKeyedCredentials,
  type SessionCredentials,
} from './credentials.ts'
import type { Sending } from './dpop/contract.ts'
import { longestLifetimeMs } from './login/token-lifetime.ts'
import type { LoginContext, LoginResult } from './login/login-function.ts'
import {
  readSessionOptions,
  type SessionOptions,
  sessionOptionNames,
} from './session/session-options.ts'
import { createSessionScheme, type RequestFacts, type TokenAuth } from './session-scheme.ts'
import { loginKey, type LoginKey } from './token.ts'

/**
 * Options of {@link createSessionAuth}.
 *
 * @template Credentials - The credentials that the login takes.
 */
export interface SessionAuthOptions<Credentials extends object> extends SessionOptions {
  /**
   * The name of the scheme, for events and messages.
   *
   * @default `'session'`
   */
  name?: string | undefined
  /** The service's base URL; the token goes to whatever is below its path. https, or http on loopback and with `allowInsecureHttp`. */
  baseUrl: string | URL
  /**
   * The credentials, or a function called at each login. Plain data: objects and arrays of strings, finite numbers,
   * booleans and `null`. Schemes with the same ones share a session, and a store is sealed with them.
   */
  credentials: Credentials | CredentialsProvider<Credentials>
  /**
   * Returns a text that tells every two credentials apart, where they are no plain data, such as a `CryptoKey`.
   * A store is sealed with it. It is stretched as a password is, which takes some 50 ms, unless it is `random-key:`
   * and 32 random bytes in base64url.
   *
   * @default the credentials themselves, as JSON
   */
  keyOf?: ((credentials: Credentials) => string) | undefined
  /**
   * Logs in. Schemes share a session only if this is the same function: make it once, outside of a request handler.
   *
   * What it throws counts as refused, `ERR_AUTH_LOGIN_REFUSED`, with the status of the last response if it is known; as
   * an `ERR_AUTH_LOGIN_FAILED` if it has `transient: true`, or no connection was made. An `AuthError` stays as it is.
   */
  login: (context: LoginContext<Credentials>) => Promise<LoginResult> | LoginResult
  /**
   * Returns the headers of a request with a token, or a promise of them. It sees the method and the URL that are sent,
   * and the response to the attempt before, if there was one. Before the first request it is called once with a text
   * that is no token, to learn the names of the headers.
   *
   * @default `` (token) => ({ authorization: `Bearer ${token}` }) ``
   */
  headers?:
    | ((token: string, request: RequestFacts) => MaybePromise<Record<string, string>>)
    | undefined
}

const caller = '[@svc/auth-token] createSessionAuth'

const optionNames: OptionNames<SessionAuthOptions<object>> = {
  name: 'scheme',
  baseUrl: 'endpoint host url prefixUrl',
  credentials: 'user username password clientId clientSecret',
  keyOf: 'key cacheKey',
  login: 'logIn getToken authenticate refresh',
  headers: 'header',
  ...sessionOptionNames,
}

/**
 * A session with any service: one login for any number of callers, renewed before its token expires, made again
 * when the token is refused, paused after a refusal, and shared by way of a store. {@link createTokenAuth} is this
 * with the service's own login.
 *
 * @throws TypeError at construction, if an option is invalid; the message names it.
 * @throws AuthError from the returned scheme: `ERR_AUTH_CREDENTIALS` if the credentials function fails or returns
 * unusable credentials; one of `ERR_AUTH_LOGIN_…` if the login fails; `ERR_AUTH_URL` if a server might read a
 * segment of the path as a dot segment.
 * @example
 * import { authFetch, createSessionAuth } from '@svc/auth-token'
 *
 * const baseUrl = 'https://api.example.com'
 * const auth = createSessionAuth({
 *   baseUrl,
 *   credentials: { key: 'an API key' },
 *   async login({ credentials, fetch }) {
 *     const headers = { 'content-type': 'application/json' }
 *     const init = { method: 'POST', headers, body: JSON.stringify(credentials) }
 *     const response = await fetch(`${baseUrl}/tokens`, init)
 *     if (!response.ok) throw new Error('refused')
 *     const { token, lifetimeSeconds } = await response.json()
 *     return { token, expiresInMs: lifetimeSeconds * 1000 }
 *   },
 * })
 * const apiFetch = authFetch(auth, { baseUrl })
 * console.log(await (await apiFetch('/things')).json())
 * @see https://www.rfc-editor.org/rfc/rfc6750#section-2.1
 */
export function createSessionAuth<Credentials extends object>(
  options: SessionAuthOptions<Credentials>,
): TokenAuth {
  const checked = checkOptions(options, caller, optionNames)
  const { credentials, keyOf, login, headers: own, name = 'session' } = checked
  const base = parseBaseUrl(checked.baseUrl, caller)
  check(isHttpToken(name), caller, 'name must be a word such as session')
  check(typeof login === 'function', caller, 'login must be a function; spread: ...refreshToken()')
  checkFunctions({ keyOf, headers: own }, caller)
  // The rules of a login hold for a function around it, too.
  const key = [options, login, credentials]
    .map((one) => Reflect.get(Object(one), loginKey) as LoginKey | undefined)
    .find(Boolean)
  check(!own || !key?.sending, caller, 'headers must be left out with dpop, which sends its own')
  const title = `the login of ${name} for ${base.origin}`
  const read = (given: Credentials): SessionCredentials | string =>
    readKeyedCredentials(given, keyOf)
  const settings = readSessionOptions(
    checked,
    base,
    caller,
    {
      name,
      origin: base.origin,
      title,
      uniqueSession: false,
      rules: key,
      purpose: key?.purpose,
      rotation: key?.rotation,
      defaultLifetimeMs: longestLifetimeMs,
      // A refresh token is one, however many services and schemes it is for.
      account: key?.rotation ? key.account : [base.href, name, ...(key?.account ?? [])],
      key: key?.session,
      owner: Reflect.get(login, loginKey) ? key?.owner : login,
      logIn: login,
    },
    readCredentialsOption(credentials, read, caller, title),
  )
  const { headers = own ?? bearer, review } = key?.sending?.(settings.ofSession) ?? {}
  return createSessionScheme({
    ...settings,
    sensitiveHeaders: Object.freeze(headerNames(headers, base.href)),
    headers: (token, request, binding) =>
      chain(headers(token, request, binding), (given) => Object.entries(checkHeaders(given))),
    review,
    loginHref: undefined,
  })
}

function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` }
}

/** Returns the names of the headers of a token, as far as they are the same for a text that is none. */
function headerNames(headers: Sending['headers'], url: string): string[] {
  let given: MaybePromise<Record<string, string>>
  try {
    given = headers('token', { method: 'GET', url })
  } catch {
    // It reads what only a token of the service has.
    given = bearer('token')
  }
  if (isThenable(given)) {
    // Nothing is known of them yet; those of a request are known when it is sent.
    given.then(undefined, () => {})
    return ['authorization', 'dpop']
  }
  return Object.keys(checkHeaders(given))
}

/** Checks what the option returned; the kernel checks names and values. */
function checkHeaders(given: Record<string, string>): Record<string, string> {
  check(typeof given === 'object' && given !== null, caller, 'headers must return an object')
  return given
}
