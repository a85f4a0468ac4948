/**
 * Logins of OAuth 2.0 for `createSessionAuth`: client credentials and refresh tokens. Needs `oauth4webapi` 3.
 *
 * @module @svc/auth-token/oauth2
 */
import { Secret } from '@svc/auth-hooks'
import { check, checkOptions, type OptionNames } from '@svc/auth-hooks/scheme'
import { joinedKey } from '../credentials.ts'
import { dpopKey } from '../dpop/contract.ts'
import { type LoginKey, type Rotation, storePlace } from '../token.ts'
import { clientNames, isText, type OAuth2ClientOptions, readClient } from './client.ts'
import { grantLogin, type OAuth2Login, withKey } from './grant-login.ts'
import { type SignIn, signInKey, type SignInTokenOptions } from './sign-in.ts'

export type { OAuth2ClientOptions } from './client.ts'
export type { OAuth2Credentials, OAuth2Login } from './grant-login.ts'
export type { SignIn, SignInClientOptions, SignInTokenOptions } from './sign-in.ts'

/** Options of {@link refreshToken}. */
export interface RefreshTokenOptions extends OAuth2ClientOptions {
  /** The refresh token that the user's sign-in gave. */
  refreshToken: string
  /**
   * `rotating`: each use makes the refresh token void, and the response has the next one. It is kept in the store,
   * which has to outlive the process, and is never sent twice. `none`: the server takes it any number of times.
   *
   * @default `'rotating'`
   */
  rotation?: 'rotating' | 'none' | undefined
  /**
   * The time for which the server takes a refresh token once more, after a response with the next one was lost, in
   * milliseconds.
   *
   * @default `0`
   */
  reuseGraceMs?: number | undefined
}

const refreshNames: OptionNames<RefreshTokenOptions> = {
  ...clientNames,
  refreshToken: 'refresh_token token',
  rotation: '',
  reuseGraceMs: '',
}

/**
 * Returns the login of a client that acts for itself.
 *
 * @throws TypeError if an option is wrong; the message names it.
 * @example
 * import { authFetch, createSessionAuth } from '@svc/auth-token'
 * import { clientCredentials } from '@svc/auth-token/oauth2'
 *
 * const baseUrl = 'https://api.example.com'
 * const auth = createSessionAuth({
 *   baseUrl,
 *   ...clientCredentials({
 *     issuer: 'https://login.example.com',
 *     clientId: 'reports',
 *     clientSecret: 'a secret',
 *     scope: 'read:reports',
 *   }),
 * })
 * const apiFetch = authFetch(auth, { baseUrl })
 * console.log(await (await apiFetch('/reports')).json())
 * @see https://www.rfc-editor.org/rfc/rfc6749#section-4.4
 */
export function clientCredentials(options: OAuth2ClientOptions): OAuth2Login {
  const caller = '[@svc/auth-token] clientCredentials'
  const checked = checkOptions(options, caller, clientNames)
  const client = readClient(checked, caller)
  const { issuer, clientId, settings, key, parameters, dpop } = client
  const hasSecret = checked.clientSecret !== undefined || checked.privateKey !== undefined
  check(hasSecret, caller, 'clientSecret or privateKey must be given')
  const login = grantLogin(client, 'client_credentials', () => parameters)
  const account = ['client_credentials', issuer.href, clientId, ...settings]
  const own = { account: [...account, JSON.stringify(parameters)] }
  return withKey(login, joinedKey(key), key.slice(1), own, dpop)
}

/**
 * Returns the login of a client that acts for a user who has signed in, with the refresh token of that sign-in.
 *
 * A rotating refresh token is spent once, unless `reuseGraceMs` allows it: before it is sent, the store says so. Where
 * the response is lost, that is an `ERR_AUTH_REFRESH_LOST`, and the user has to sign in again.
 *
 * @throws TypeError if an option is wrong; the message names it. `createSessionAuth` throws one if the refresh token
 * rotates and there is no `store` that outlives the process.
 * @example
 * import { authFetch, createSessionAuth } from '@svc/auth-token'
 * import { fileTokenStore } from '@svc/auth-token/file-store'
 * import { refreshToken } from '@svc/auth-token/oauth2'
 *
 * const baseUrl = 'https://api.example.com'
 * const auth = createSessionAuth({
 *   baseUrl,
 *   ...refreshToken({
 *     issuer: 'https://login.example.com',
 *     clientId: 'desktop',
 *     refreshToken: 'that of the sign-in',
 *   }),
 *   store: fileTokenStore(),
 * })
 * const apiFetch = authFetch(auth, { baseUrl })
 * console.log(await (await apiFetch('/me')).json())
 * @see https://www.rfc-editor.org/rfc/rfc6749#section-6
 * @see https://www.rfc-editor.org/rfc/rfc9700#section-4.14.2
 */
export function refreshToken(options: RefreshTokenOptions | SignInTokenOptions): OAuth2Login {
  const caller = '[@svc/auth-token] refreshToken'
  const checked = checkOptions(options as RefreshTokenOptions, caller, refreshNames)
  const { rotation = 'rotating', reuseGraceMs = 0, refreshToken: first } = checked
  const isRotation = rotation === 'rotating' || rotation === 'none'
  check(isRotation, caller, "rotation must be 'rotating' or 'none'")
  const isDuration = Number.isFinite(reuseGraceMs) && reuseGraceMs >= 0
  check(isDuration, caller, 'reuseGraceMs must be a non-negative number of milliseconds')
  const signIn = (Object(first) as Partial<SignIn>)[signInKey]
  if (signIn) return signIn(checked, rotation === 'none' ? Infinity : reuseGraceMs)
  const client = readClient(checked, caller)
  const { issuer, clientId, settings, key, parameters, dpop } = client
  check(isText(first), caller, 'refreshToken must be a non-empty string')
  const login = grantLogin(client, 'refresh_token', (current = first) => ({
    ...parameters,
    refresh_token: current,
  }))
  const rules: LoginKey = {
    // Nothing that may change while the sign-in lasts: under another account, its first refresh token would be sent again.
    account: ['refresh_token', issuer.href, clientId],
    purpose: JSON.stringify(parameters) + (dpop?.[dpopKey].mark ?? ''),
    session: new Secret(
      joinedKey([...settings, ...key, JSON.stringify(parameters), rotation, reuseGraceMs]),
    ),
    rotation: rotation === 'rotating' ? { reuseGraceMs, assertStore } : undefined,
  }
  return withKey(login, first, [first, ...key.slice(1)], rules, dpop)
}

const lasting =
  "store must be one that outlives the process, since each use of the refresh token makes it void; for a server that keeps it, give rotation: 'none'"
const assertStore: Rotation['assertStore'] = (store, by) =>
  check(store && store[storePlace]?.[0] !== 'memory', by, lasting)
