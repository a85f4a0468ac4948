import { AuthError, Secret } from '@svc/auth-hooks'
import * as oauth from 'oauth4webapi'
import { type Dpop, dpopKey, type ProvenLogin, separator } from '../dpop/contract.ts'
import { isMissing } from '../login/login-errors.ts'
import type { LoginContext, LoginResult } from '../login/login-function.ts'
import { type LoginKey, loginKey } from '../token.ts'
import type { OAuth2Client } from './client.ts'

/** The secrets of a login, which do not show themselves. */
export interface OAuth2Credentials {
  /** Each of them; they stand in no message. */
  readonly secrets: readonly Secret[]
}

/** Options of `createSessionAuth`, beside the service's own `baseUrl`. */
export interface OAuth2Login {
  /** The secrets of the client and of the sign-in. */
  readonly credentials: OAuth2Credentials
  /** Tells the login from those with other secrets. */
  readonly keyOf: (credentials: OAuth2Credentials) => string
  /** Gets a token from the authorization server. */
  readonly login: (context: LoginContext<OAuth2Credentials>) => Promise<LoginResult>
}

/** What helps where an issuer has no metadata. */
const orEndpoint = 'check issuer, or give tokenEndpoint'
/** A clock that differs by more makes assertions that a server does not take. */
const tolerableSkewSeconds = 5
/** The longest lifetime in seconds that is told on; a session counts none that is longer. */
const mostSeconds = 1e10

/**
 * Returns the login of a client.
 *
 * @param parametersOf - Returns those of the grant, given the last refresh token.
 * @param send - Sends another request, which is dated like that for a token.
 */
export function grantLogin<Result = LoginResult>(
  { issuer, server, clientId, authentication, isDated, dpop }: OAuth2Client,
  grant: string,
  parametersOf: (refreshToken: string | undefined) => Readonly<Record<string, string>>,
  send: typeof oauth.genericTokenEndpointRequest = oauth.genericTokenEndpointRequest,
  read: (response: Response, issuer: URL, proven: ProvenLogin | undefined) => unknown = readToken,
): (context: Pick<LoginContext<object>, 'fetch' | 'signal' | 'previous'>) => Promise<Result> {
  let discovered: oauth.AuthorizationServer | undefined
  let skewSeconds = 0
  const begin = dpop?.[dpopKey].open()

  return async (context) => {
    const { signal, previous } = context
    const proven = await begin?.(context)
    // Of sessions that had DPoP, it is kept with a key, which is not sent.
    const bare = previous?.refreshToken?.split(separator).pop()
    const { fetch, refreshToken } = proven ?? { ...context, refreshToken: bare }
    /** Takes note of the server's time, by which assertions are dated. The library dates them by `Date.now`. */
    const timed: ProvenLogin['fetch'] = async (input, init) => {
      const response = await fetch(input, init)
      const seconds = (Date.parse(response.headers.get('date') ?? '') - Date.now()) / 1000
      if (!Number.isNaN(seconds)) {
        skewSeconds = Math.abs(seconds) > tolerableSkewSeconds ? Math.round(seconds) : 0
      }
      return response
    }
    const options = {
      [oauth.customFetch]: timed,
      // The session's `fetch` sends over plain http where the session allows it.
      [oauth.allowInsecureRequests]: true,
      signal,
    }
    try {
      const known = server ?? (discovered ??= await discover(issuer, options, orEndpoint))
      const problem = proven?.problemIn(known)
      if (problem !== undefined) throw wrongServer(issuer, problem)
      const parameters = parametersOf(refreshToken)
      const refusals = new Set<unknown>()
      for (;;) {
        const skewBefore = skewSeconds
        const client = { client_id: clientId, [oauth.clockSkew]: skewSeconds }
        const response = await send(known, client, authentication, grant, parameters, options)
        // Any other status may come from something in front, after a refresh token was spent.
        const isError = [400, 401].includes(response.status)
        const error = isError ? (await readJson(response.clone()))?.['error'] : undefined
        // Refused before it looked at anything else, since the assertion is of another time.
        const isMisdated = isDated && skewSeconds !== skewBefore && error === 'invalid_client'
        const mayRepeat = isMisdated || proven?.mayRepeat(error)
        // That of `read`.
        if (!mayRepeat || refusals.has(error))
          return (await read(response, issuer, proven)) as Result
        refusals.add(error)
      }
    } catch (error) {
      // It may have moved.
      discovered = undefined
      throw error
    }
  }
}

/**
 * Finds the metadata of an issuer: by OpenID Connect, or else by OAuth.
 *
 * @throws AuthError `ERR_AUTH_LOGIN_FAILED` if they are not those of the issuer.
 * @see https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderConfig
 * @see https://www.rfc-editor.org/rfc/rfc8414#section-3
 */
export async function discover(
  issuer: URL,
  options: oauth.HttpRequestOptions<'GET'>,
  remedy = 'check issuer',
): Promise<oauth.AuthorizationServer> {
  const openId = await oauth.discoveryRequest(issuer, { ...options, algorithm: 'oidc' })
  const response = isMissing(openId.status)
    ? await oauth.discoveryRequest(issuer, { ...options, algorithm: 'oauth2' })
    : openId
  const { ok, status } = response
  if (isMissing(status)) {
    const url = `${issuer.href.replace(/\/$/, '')}/.well-known/openid-configuration`
    throw wrongServer(issuer, `${url} returned status ${status}; ${remedy}`, status)
  }
  // The session tells its status.
  if (!ok) throw new Error('refused')
  const metadata = await oauth
    .processDiscoveryResponse(issuer, response)
    .catch((error: unknown) => {
      // The words of the library quote nothing.
      const isKnown = error instanceof oauth.OperationProcessingError
      const { issuer: named = '' } = Object(Object(Object(error).cause).body)
      const other = URL.canParse(named) ? `: it is ${new URL(named).href}, not ${issuer.href}` : ''
      throw wrongServer(issuer, isKnown ? error.message + other : 'it has no metadata')
    })
  if (URL.canParse(metadata.token_endpoint ?? '')) return metadata
  throw wrongServer(issuer, 'its metadata have no token_endpoint')
}

/**
 * Reads the response of a token endpoint. An ID token beside the access token is of no use here, and none that is
 * wrong may cost a refresh token.
 *
 * @throws AuthError `ERR_AUTH_LOGIN_FAILED` if it has no token that is sent as Bearer.
 * @see https://www.rfc-editor.org/rfc/rfc6749#section-5.1
 */
async function readToken(
  response: Response,
  issuer: URL,
  proven: ProvenLogin | undefined,
): Promise<LoginResult> {
  // The session tells its status.
  if (!response.ok) throw new Error('refused')
  const body = await readJson(response)
  if (!body) throw wrongServer(issuer, 'its token is not JSON')
  const { access_token: token, token_type: type, expires_in: lifetime, refresh_token: next } = body
  const kind = typeof type === 'string' ? type.toLowerCase() : ''
  if (String(next).includes(separator)) throw wrongServer(issuer, 'refresh_token has a line break')
  const isRight = proven ? proven.takes(kind, next) : kind === 'bearer'
  const wrong = `its token_type is ${type === undefined ? 'missing' : `not ${proven ? 'DPoP' : 'Bearer'}`}`
  if (token !== undefined && !isRight) throw wrongServer(issuer, wrong)
  const seconds = Number(lifetime ?? Number.NaN)
  const expiresInMs = seconds >= 0 ? Math.min(seconds, mostSeconds) * 1000 : undefined
  // Its session checks what cannot be a token.
  const result = { token: token as string, expiresInMs, refreshToken: next as string | undefined }
  return proven ? proven.bind(result, kind) : result
}

/** Returns an error that says what is wrong with a response. The response is not in it, since it may hold a token. */
export function wrongServer(issuer: URL, what: string, status?: number): AuthError {
  return new AuthError(
    'ERR_AUTH_LOGIN_FAILED',
    `[@svc/auth-token] the authorization server ${issuer.origin} is not as it must be: ${what}`,
    { status },
  )
}

export async function readJson(response: Response): Promise<Record<string, unknown> | undefined> {
  const body: unknown = await response.json().catch(() => undefined)
  return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : undefined
}

/**
 * Makes a login one that its session knows again.
 *
 * @param secret - Tells it from those of other secrets, and seals its records.
 * @param secrets - Stand in no message.
 */
export function withKey(
  login: OAuth2Login['login'],
  secret: string,
  secrets: readonly string[],
  key: LoginKey,
  dpop: Dpop | undefined,
): OAuth2Login {
  const { sending, key: owner } = dpop?.[dpopKey] ?? {}
  const rules = { [loginKey]: { ...key, sending, owner } }
  const unwrapped: OAuth2Login['login'] = async (context) => {
    // Its session would send a refresh token twice, or a bound token as Bearer.
    if (Object(Reflect.get(context, loginKey)).rules !== rules[loginKey]) {
      const what = 'its login was wrapped: spread what was returned, and pass its context on'
      throw new AuthError('ERR_AUTH_LOGIN_FAILED', `[@svc/auth-token] ${what}`)
    }
    return login(context)
  }
  return {
    ...rules,
    credentials: { ...rules, secrets: secrets.map((text) => new Secret(text)) },
    keyOf: () => secret,
    login: Object.assign(key.rotation || sending ? unwrapped : login, rules),
  }
}
