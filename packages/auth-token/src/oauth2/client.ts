import { check, isLoopback, type OptionNames } from '@svc/auth-hooks/scheme'
import * as oauth from 'oauth4webapi'
import { type Dpop, dpopKey } from '../dpop/contract.ts'

/** Options of `clientCredentials`, and what `refreshToken` has in common with it. */
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
   * The client's private key, also with the `kid` that the server knows it by, for JWT assertions. A token of client
   * credentials is shared by schemes with the same key object, and by way of a store only with `sealedWith`.
   *
   * @default none
   */
  privateKey?: oauth.CryptoKey | oauth.PrivateKey | undefined
  /**
   * A secret that a store is sealed with in place of the private key, which cannot be read.
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
  /**
   * Binds the tokens to a key: `dpop()` of `@svc/auth-token/dpop`.
   *
   * @default none: they are sent as Bearer
   */
  dpop?: Dpop | undefined
  /**
   * Further parameters of the request: `acr_values`, `max_age` or `claims`.
   *
   * @default none
   */
  parameters?: Readonly<Record<string, string>> | undefined
  /**
   * An instant in epoch milliseconds, which tells a login from those before it, whose tokens are not used.
   *
   * @default none
   */
  since?: number | undefined
}

export const clientNames: OptionNames<OAuth2ClientOptions> = {
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
  dpop: 'DPoP',
  parameters: 'params',
  since: '',
}

export interface OAuth2Client {
  readonly issuer: URL
  readonly server: oauth.AuthorizationServer | undefined
  readonly clientId: string
  readonly authentication: oauth.ClientAuth
  /** `true` if a request is signed, and with that dated. */
  readonly isDated: boolean
  /** Everything of plain data that tells two clients apart, but no secret. */
  readonly settings: readonly string[]
  /** The kind of its secret, and the secret. */
  readonly key: readonly string[]
  /** The parameters of each request for a token. */
  readonly parameters: Readonly<Record<string, string>>
  readonly dpop: Dpop | undefined
}

/** @throws TypeError naming the option that is wrong. */
export function readClient(options: OAuth2ClientOptions, caller: string): OAuth2Client {
  const { clientId, clientSecret, clientAuthentication = 'basic', privateKey, sealedWith } = options
  const { issuer, tokenEndpoint, scope, audience, resource, dpop } = options
  const { parameters = {}, since } = options
  const endpoint =
    tokenEndpoint === undefined ? '' : readUrl(tokenEndpoint, caller, 'tokenEndpoint').href
  check(isText(clientId), caller, 'clientId must be a non-empty string')
  const texts = { clientSecret, sealedWith, scope, audience, resource }
  for (const [name, value] of Object.entries(texts)) {
    check(value === undefined || isText(value), caller, `${name} must be a non-empty string`)
  }
  const isRecord = Object.prototype.toString.call(parameters) === '[object Object]'
  const areTexts = isRecord && Object.values(parameters).every((one) => typeof one === 'string')
  check(areTexts, caller, 'parameters must be an object of strings')
  const isTime = since === undefined || Number.isFinite(since)
  check(isTime, caller, 'since must be epoch milliseconds')
  const isWay = clientAuthentication === 'basic' || clientAuthentication === 'post'
  check(isWay, caller, "clientAuthentication must be 'basic' or 'post'")
  const isOne = clientSecret === undefined || privateKey === undefined
  check(isOne, caller, 'clientSecret and privateKey must not both be given')
  const isNamed = typeof privateKey === 'object' && privateKey !== null && 'key' in privateKey
  const { key, kid = '' } = isNamed ? privateKey : { key: privateKey, kid: '' }
  const isPrivate = key === undefined || Object(key).type === 'private'
  check(isPrivate, caller, 'privateKey must be a private CryptoKey, or one with its kid')
  const rules = dpop && dpop[dpopKey]
  check(!dpop === !rules, caller, 'dpop must be what dpop() of @svc/auth-token/dpop returns')
  return {
    issuer: readUrl(issuer, caller, 'issuer'),
    server: endpoint === '' ? undefined : { issuer: nameOf(issuer), token_endpoint: endpoint },
    clientId,
    authentication: authenticationOf(options, clientAuthentication),
    isDated: key !== undefined,
    settings: [
      endpoint,
      clientAuthentication,
      kid,
      ...(since === undefined ? [] : [`${since}`]),
      ...(rules ? [rules.mark] : []),
    ],
    dpop,
    key: keyOf(options, key),
    parameters: {
      ...parameters,
      ...(scope !== undefined && { scope }),
      ...(audience !== undefined && { audience }),
      ...(resource !== undefined && { resource }),
    },
  }
}

/** Returns the name of an issuer as it was written: to a server, one with a slash at its end is another. */
export function nameOf(issuer: string | URL): string {
  return typeof issuer === 'string' ? issuer : issuer.href.replace(/^([^/]+\/\/[^/]+)\/$/, '$1')
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

function keyOf(
  { clientSecret, sealedWith }: OAuth2ClientOptions,
  privateKey: oauth.CryptoKey | undefined,
): readonly string[] {
  if (clientSecret !== undefined) return ['secret', clientSecret]
  if (sealedWith !== undefined) return ['sealed', sealedWith]
  return privateKey ? ['key', idOf(privateKey)] : ['public']
}

function readUrl(value: unknown, caller: string, option: string): URL {
  const text = value instanceof URL ? value.href : value
  const url = typeof text === 'string' && URL.canParse(text) && new URL(text)
  const isSafe = url && (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url)))
  check(isSafe, caller, `${option} must be set to a URL with https://: a secret is sent there`)
  const isMetadata = option === 'issuer' && url.pathname.includes('/.well-known/')
  check(!isMetadata, caller, 'issuer must be without /.well-known/')
  return url
}

const ids = new WeakMap<oauth.CryptoKey, string>()

/** Returns a text that no other key has. */
function idOf(key: oauth.CryptoKey): string {
  const id = ids.get(key) ?? crypto.randomUUID()
  ids.set(key, id)
  return id
}

export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
