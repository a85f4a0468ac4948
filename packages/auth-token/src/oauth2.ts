/**
 * Logins of OAuth 2.0 for `createSessionAuth`: client credentials and refresh tokens. Needs `oauth4webapi` 3.
 *
 * @module @svc/auth-token/oauth2
 */
import { AuthError } from '@svc/auth-hooks'
import { check, checkOptions, isLoopback, type OptionNames } from '@svc/auth-hooks/scheme'
import * as oauth from 'oauth4webapi'
import type { LoginContext, LoginResult } from './login-function.ts'
import { type LoginKey, loginKey } from './token.ts'

/** Options of {@link clientCredentials}, and what {@link refreshToken} has in common with it. */
export interface OAuth2ClientOptions {
  /** The issuer, whose metadata tell the token endpoint, by OpenID Connect Discovery or RFC 8414. */
  issuer: string | URL
  /**
   * The token endpoint, for a server without metadata.
   *
   * @default that of the issuer's metadata
   */
  tokenEndpoint?: string | URL | undefined
  /** The client's identifier. */
  clientId: string
  /**
   * The client's secret.
   *
   * @default none: a public client, or one with a `privateKey`
   */
  clientSecret?: string | undefined
  /**
   * The way in which the secret is sent: in the `authorization` header, or in the body.
   *
   * @default `'basic'`
   */
  clientAuthentication?: 'basic' | 'post' | undefined
  /**
   * The client's private key, for JWT assertions. A token is shared by schemes with the same key object, and by way of
   * a store only with `sealedWith`.
   *
   * @default none
   */
  privateKey?: CryptoKey | { readonly key: CryptoKey; readonly kid: string } | undefined
  /**
   * A secret that a store is sealed with in place of the private key, which nobody can read.
   *
   * @default none
   */
  sealedWith?: string | undefined
  /**
   * The scopes to ask for, separated by blanks.
   *
   * @default none: those that the server gives
   */
  scope?: string | undefined
  /**
   * The `audience` to ask for, as some servers want it.
   *
   * @default none
   */
  audience?: string | undefined
  /**
   * The `resource` to ask for, by RFC 8707.
   *
   * @default none
   */
  resource?: string | undefined
}

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

/** What `createSessionAuth` takes, beside the service's own `baseUrl`. */
export interface OAuth2Login {
  readonly credentials: OAuth2Credentials
  readonly keyOf: (credentials: OAuth2Credentials) => string
  readonly login: (context: LoginContext<OAuth2Credentials>) => Promise<LoginResult>
}

/** The secrets of a client. */
export interface OAuth2Credentials {
  readonly clientSecret?: string | undefined
  readonly privateKey?: OAuth2ClientOptions['privateKey']
  readonly refreshToken?: string | undefined
}

const clientNames: OptionNames<OAuth2ClientOptions> = {
  issuer: 'authority authorizationServer domain tenant',
  tokenEndpoint: 'tokenUrl accessTokenUri token_endpoint',
  clientId: 'client_id id',
  clientSecret: 'client_secret secret',
  clientAuthentication: 'authMethod token_endpoint_auth_method',
  privateKey: 'key jwk',
  sealedWith: '',
  scope: 'scopes',
  audience: '',
  resource: '',
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
  const hasSecret = checked.clientSecret !== undefined || checked.privateKey !== undefined
  check(hasSecret, caller, 'clientSecret or privateKey must be given')
  return toLogin(client, ['client_credentials'], {}, async (server, request) => {
    const { scope, audience, resource } = checked
    const parameters = defined({ scope, audience, resource })
    const { client: own, authentication } = request
    return oauth.processClientCredentialsResponse(
      server,
      own,
      await oauth.clientCredentialsGrantRequest(
        server,
        own,
        authentication,
        parameters,
        request.options,
      ),
    )
  })
}

/**
 * Returns the login of a client that acts for a user who has signed in, with the refresh token of that sign-in.
 *
 * A rotating refresh token is spent at most once, whatever happens: before it is sent, the store says so. Where the
 * response is lost, that is an `ERR_AUTH_REFRESH_LOST`, and the user has to sign in again.
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
export function refreshToken(options: RefreshTokenOptions): OAuth2Login {
  const caller = '[@svc/auth-token] refreshToken'
  const checked = checkOptions(options, caller, refreshNames)
  const { rotation = 'rotating', reuseGraceMs = 0, refreshToken: first } = checked
  const client = readClient(checked, caller)
  check(isText(first), caller, 'refreshToken must be a non-empty string')
  const isRotation = rotation === 'rotating' || rotation === 'none'
  check(isRotation, caller, "rotation must be 'rotating' or 'none'")
  const isDuration = Number.isFinite(reuseGraceMs) && reuseGraceMs >= 0
  check(isDuration, caller, 'reuseGraceMs must be a non-negative number of milliseconds')
  const spending = rotation === 'rotating' ? { reuseGraceMs } : undefined
  const account = ['refresh_token', rotation, `${reuseGraceMs}`]
  return toLogin(
    { ...client, secrets: { ...client.secrets, refreshToken: first } },
    account,
    { spending },
    async (server, request, previous) => {
      const { scope, audience, resource } = checked
      const additionalParameters = defined({ scope, audience, resource })
      const { client: own, authentication } = request
      return oauth.processRefreshTokenResponse(
        server,
        own,
        await oauth.refreshTokenGrantRequest(server, own, authentication, previous ?? first, {
          ...request.options,
          additionalParameters,
        }),
      )
    },
  )
}

/** A client as its options tell it. */
interface ReadClient {
  readonly issuer: URL
  readonly tokenEndpoint: string | undefined
  readonly clientId: string
  readonly secrets: OAuth2Credentials
  readonly authentication: oauth.ClientAuth
  /** Everything of plain data that makes two tokens different. */
  readonly account: readonly string[]
  /** A text that no other secret has. */
  readonly key: string
}

function readClient(options: OAuth2ClientOptions, caller: string): ReadClient {
  const { clientId, clientSecret, clientAuthentication = 'basic', privateKey, sealedWith } = options
  const { scope, audience, resource } = options
  const issuer = readUrl(options.issuer, caller, 'issuer')
  const tokenEndpoint =
    options.tokenEndpoint === undefined
      ? undefined
      : readUrl(options.tokenEndpoint, caller, 'tokenEndpoint').href
  check(isText(clientId), caller, 'clientId must be a non-empty string')
  for (const [name, value] of Object.entries({
    clientSecret,
    sealedWith,
    scope,
    audience,
    resource,
  })) {
    check(value === undefined || isText(value), caller, `${name} must be a non-empty string`)
  }
  const isWay = clientAuthentication === 'basic' || clientAuthentication === 'post'
  check(isWay, caller, "clientAuthentication must be 'basic' or 'post'")
  const isOne = clientSecret === undefined || privateKey === undefined
  check(isOne, caller, 'clientSecret and privateKey must not both be given')
  const cryptoKey = privateKey && 'key' in privateKey ? privateKey.key : privateKey
  const isPrivate = cryptoKey === undefined || Object(cryptoKey).type === 'private'
  check(isPrivate, caller, 'privateKey must be a private CryptoKey, or one with its kid')
  const kid = privateKey && 'kid' in privateKey ? privateKey.kid : ''
  return {
    issuer,
    tokenEndpoint,
    clientId,
    secrets: { clientSecret, privateKey },
    authentication: authenticationOf(options, clientAuthentication),
    account: [
      issuer.href,
      tokenEndpoint ?? '',
      clientId,
      clientAuthentication,
      kid,
      scope ?? '',
      audience ?? '',
      resource ?? '',
    ],
    key: clientSecret ?? sealedWith ?? (cryptoKey ? idOf(cryptoKey) : 'public'),
  }
}

function authenticationOf(
  { clientSecret, privateKey }: OAuth2ClientOptions,
  way: 'basic' | 'post',
): oauth.ClientAuth {
  if (privateKey) return oauth.PrivateKeyJwt(privateKey)
  if (clientSecret === undefined) return oauth.None()
  return way === 'post'
    ? oauth.ClientSecretPost(clientSecret)
    : oauth.ClientSecretBasic(clientSecret)
}

/** A request to the token endpoint, as `oauth4webapi` takes it. */
interface TokenRequest {
  readonly client: oauth.Client
  readonly authentication: oauth.ClientAuth
  readonly options: oauth.TokenEndpointRequestOptions
}

/** A clock that differs by more makes assertions that a server does not take. */
const tolerableSkewSeconds = 5

function toLogin(
  { issuer, tokenEndpoint, clientId, secrets, authentication, account, key }: ReadClient,
  grant: readonly string[],
  spending: Pick<LoginKey, 'spending'>,
  request: (
    server: oauth.AuthorizationServer,
    request: TokenRequest,
    refreshToken: string | undefined,
  ) => Promise<oauth.TokenEndpointResponse>,
): OAuth2Login {
  let metadata: oauth.AuthorizationServer | undefined =
    tokenEndpoint === undefined ? undefined : { issuer: issuer.href, token_endpoint: tokenEndpoint }
  let skewSeconds = 0
  const login = async ({
    fetch,
    signal,
    previous,
  }: LoginContext<OAuth2Credentials>): Promise<LoginResult> => {
    /** Takes note of the server's time, by which assertions are dated. */
    const timed = async (input: string, init: object): Promise<Response> => {
      const response = await fetch(input, init)
      const seconds = (Date.parse(response.headers.get('date') ?? '') - Date.now()) / 1000
      if (!Number.isNaN(seconds)) {
        skewSeconds = Math.abs(seconds) > tolerableSkewSeconds ? Math.round(seconds) : 0
      }
      return response
    }
    const options = {
      [oauth.customFetch]: timed,
      // Its `fetch` sends over plain http where the session allows it.
      [oauth.allowInsecureRequests]: true,
      signal,
    }
    const send = (): Promise<oauth.TokenEndpointResponse> => {
      const client = { client_id: clientId, [oauth.clockSkew]: skewSeconds }
      // Its token endpoint is known by then.
      const server = metadata as oauth.AuthorizationServer
      return request(server, { client, authentication, options }, previous?.refreshToken)
    }
    try {
      metadata ??= await discover(issuer, options)
      const skewBefore = skewSeconds
      let response: oauth.TokenEndpointResponse
      try {
        response = await send()
      } catch (error) {
        // Refused before it looked at anything else, since the assertion is of another time.
        const isDated = secrets.privateKey && skewSeconds !== skewBefore
        if (!isDated || !(error instanceof oauth.ResponseBodyError)) throw error
        if (error.error !== 'invalid_client') throw error
        response = await send()
      }
      const { access_token: token, expires_in: seconds, refresh_token: next } = response
      return {
        token,
        expiresInMs: seconds === undefined ? undefined : seconds * 1000,
        refreshToken: next,
      }
    } catch (error) {
      throw described(error, issuer)
    }
  }
  const loginData: LoginKey = { account: [...grant, ...account], ...spending }
  return {
    credentials: secrets,
    keyOf: () => JSON.stringify([key, secrets.refreshToken ?? '']),
    login: Object.assign(login, { [loginKey]: loginData }),
  }
}

/** Finds the metadata of an issuer: by OpenID Connect, or else by OAuth. */
async function discover(
  issuer: URL,
  options: oauth.HttpRequestOptions<'GET'>,
): Promise<oauth.AuthorizationServer> {
  const openId = await oauth.discoveryRequest(issuer, { ...options, algorithm: 'oidc' })
  const response =
    openId.status === 404
      ? await oauth.discoveryRequest(issuer, { ...options, algorithm: 'oauth2' })
      : openId
  return oauth.processDiscoveryResponse(issuer, response)
}

/** Returns an error that says what is wrong with a response of the server's; any other as it is. */
function described(error: unknown, issuer: URL): unknown {
  if (!(error instanceof oauth.OperationProcessingError)) return error
  return new AuthError(
    'ERR_AUTH_LOGIN_FAILED',
    `[@svc/auth-token] the authorization server ${issuer.origin} is not as it must be: ${error.message}`,
    { cause: error },
  )
}

function readUrl(value: unknown, caller: string, option: string): URL {
  const text = value instanceof URL ? value.href : value
  const isUrl = typeof text === 'string' && URL.canParse(text)
  check(isUrl, caller, `${option} must be a URL`)
  const url = new URL(text)
  const isSafe = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url))
  check(isSafe, caller, `${option} must be https, since a secret is sent there`)
  return url
}

const ids = new WeakMap<CryptoKey, string>()

/** Returns a text that no other key has. */
function idOf(key: CryptoKey): string {
  const id = ids.get(key) ?? crypto.randomUUID()
  ids.set(key, id)
  return id
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function defined(values: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
}
