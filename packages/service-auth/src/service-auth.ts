import { AuthError } from '@svc/auth-hooks'
import {
  check,
  checkFunctions,
  checkOptions,
  type OptionNames,
  parseBaseUrl,
} from '@svc/auth-hooks/scheme'
import {
  type ApiKeyProvider,
  createSigV4Auth,
  type SigV4Auth,
  type SigV4AuthOptions,
} from '@svc/auth-sigv4'
import {
  createTokenAuth,
  type CredentialsProvider,
  type SharedTokenStore,
  type TokenAuth,
  type TokenAuthOptions,
  type UserCredentials,
} from '@svc/auth-token'
import { createServiceRoutes } from '@svc/route-auth-selector'
import type { AuthEvent, AuthScheme } from '@svc/types'

/** Options of {@link createServiceAuth}. */
export interface ServiceAuthOptions {
  /**
   * The environment's base URL. Nothing is authenticated for another origin, or outside its path. https, or
   * http on loopback.
   */
  readonly baseUrl: string | URL
  /**
   * The environment's region, such as `us-east-1`.
   *
   * @default none: required with `apiKey`
   */
  readonly region?: string | undefined
  /**
   * The user who logs in, or a function called at each login, for requests below `/user`.
   *
   * @default none: such requests fail
   */
  readonly user?: UserCredentials | CredentialsProvider | undefined
  /**
   * The access key and its secret, or a function that returns them, for all other requests.
   *
   * @default none: such requests fail
   */
  readonly apiKey?: ApiKeyProvider | undefined
  /**
   * `shared`: schemes for the same login are one session, wherever in this process they are made. `own`: this
   * scheme logs in itself, as to check a password.
   *
   * @default `'shared'`
   */
  readonly session?: 'shared' | 'own' | undefined
  /**
   * Shares one token among processes or hosts: what `fileTokenStore()` or `redisTokenStore(client)` returns.
   *
   * @default none: the token stays in this process
   */
  readonly store?: SharedTokenStore | undefined
  /**
   * Receives the events of the session, of signatures and of chosen routes. Errors it throws are ignored.
   *
   * @default none
   */
  readonly onEvent?: ((event: AuthEvent) => void) | undefined
  /**
   * More options of `createTokenAuth`. One that has a name above is given there or here.
   *
   * @default `{}`
   */
  readonly tokenOptions?: Partial<TokenAuthOptions> | undefined
  /**
   * More options of `createSigV4Auth`. One that has a name above is given there or here.
   *
   * @default `{}`
   */
  readonly sigv4Options?: Partial<SigV4AuthOptions> | undefined
}

/** A scheme for the whole service, with the two that it is made of. */
export interface ServiceAuth extends AuthScheme {
  /** The token session, if there is a `user`. */
  readonly token?: TokenAuth
  /** The scheme that signs, if there is an `apiKey`. */
  readonly sigv4?: SigV4Auth
}

/**
 * What {@link createServiceAuth} returns: `token` is there if it was given a `user`, and `sigv4` if an `apiKey`.
 *
 * @template User - The type of the option `user`.
 * @template Key - The type of the option `apiKey`.
 */
export type ServiceAuthOf<User, Key> = ServiceAuth &
  ([User] extends [object] ? Required<Pick<ServiceAuth, 'token'>> : unknown) &
  ([Key] extends [object] ? Required<Pick<ServiceAuth, 'sigv4'>> : unknown)

const caller = '[@svc/service-auth] createServiceAuth'

const optionNames: OptionNames<ServiceAuthOptions> = {
  baseUrl: 'endpoint host url prefix prefixUrl',
  region: '',
  user: 'credentials username password login token',
  apiKey: 'accessKeyId secretAccessKey accessKey secretKey key apiKeys sigv4',
  session: '',
  store: 'cache storage',
  onEvent: '',
  tokenOptions:
    'allowInsecureHttp fetch waitUntil idleMs uniqueSession vendorPrefix renewBeforeMs loginTimeoutMs',
  sigv4Options: 'service engine payload',
}

/**
 * Creates a scheme for every request to the service: with a token below `/user`, and with a signature
 * everywhere else. It logs in when a token is first needed.
 *
 * @template User - The type of the option `user`.
 * @template Key - The type of the option `apiKey`.
 * @throws TypeError at construction, if an option is wrong or missing; the message names it.
 * @throws AuthError from the returned scheme: `ERR_AUTH_CREDENTIALS` for a request below `/user` if there is no
 * `user`, and for any other if there is no `apiKey`; `ERR_AUTH_ORIGIN` if the URL is not below `baseUrl`; and
 * whatever the two schemes throw.
 * @example
 * import { authFetch, createServiceAuth } from '@svc/service-auth'
 *
 * const baseUrl = 'https://search.example.com'
 * const auth = createServiceAuth({
 *   baseUrl,
 *   region: 'us-east-1',
 *   user: { username: 'reader@example.com', password: 'a password' },
 *   apiKey: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'EXAMPLEKEY' },
 * })
 * const serviceFetch = authFetch(auth, { baseUrl })
 * console.log(await (await serviceFetch('/user/groups')).json())
 * console.log(await (await serviceFetch('/V1/report.csv')).text())
 * @see Interface of the service, section 5
 */
export function createServiceAuth<
  User extends ServiceAuthOptions['user'],
  Key extends ServiceAuthOptions['apiKey'],
>(
  options: ServiceAuthOptions & { readonly user?: User; readonly apiKey?: Key },
): ServiceAuthOf<User, Key> {
  const checked = renamed(
    () => checkOptions(options, caller, optionNames),
    // Of an option that is known, but to a scheme.
    (message) =>
      message.replace(/: (?!\w+options )(\w+)( is not .+Options)\?$/i, ': $1$2: { $1 }?'),
  )
  const { region, user, apiKey, session, store, onEvent, tokenOptions, sigv4Options } = checked
  const baseUrl = parseBaseUrl(checked.baseUrl, caller)
  const isAtUser = /\/user(?:\/login)?\/*$/.test(baseUrl.pathname)
  check(!isAtUser, caller, 'baseUrl must be the URL above /user: the paths of requests begin there')
  checkFunctions({ onEvent }, caller)
  const token = createScheme(
    createTokenAuth,
    { baseUrl, credentials: user, session, store, onEvent },
    { credentials: 'user', more: 'tokenOptions' },
    tokenOptions,
  )
  const sigv4 = createScheme(
    createSigV4Auth,
    { baseUrl, credentials: apiKey, region, onEvent },
    { credentials: 'apiKey', more: 'sigv4Options' },
    sigv4Options,
  )
  check(token ?? sigv4, caller, 'user, apiKey or both must be given')
  const auth: ServiceAuth = Object.freeze({
    ...createServiceRoutes({
      baseUrl,
      token: token ?? withoutCredentials('user'),
      sigv4: sigv4 ?? withoutCredentials('apiKey'),
      onEvent,
    }),
    ...(token && { token }),
    ...(sigv4 && { sigv4 }),
  })
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- there is the scheme of each that was given
  return auth as ServiceAuthOf<User, Key>
}

/** The names that options have here. */
interface NamesHere {
  /** The one that is called `credentials` where a scheme is created. */
  readonly credentials: 'user' | 'apiKey'
  /** The one that holds all other options of a scheme. */
  readonly more: 'tokenOptions' | 'sigv4Options'
}

/** Creates a scheme of the options that are given here and of its own, if there are credentials. */
function createScheme<Options extends object, Scheme>(
  create: (options: Options) => Scheme,
  given: Readonly<Record<string, unknown>>,
  names: NamesHere,
  more: Partial<Options> = {},
): Scheme | undefined {
  const options = copyOptions(more, names.more)
  const hereAs = (name: string): string => (name === 'credentials' ? names.credentials : name)
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue
    check(
      options[name] === undefined,
      caller,
      `${names.more}.${name} and ${hereAs(name)} are the same option: give one of them`,
    )
    options[name] = value
  }
  if (options['credentials'] === undefined) return undefined
  const isRegional = names.more === 'tokenOptions' || options['region'] !== undefined
  check(isRegional, caller, 'region must be a name such as us-east-1, which apiKey needs')
  // It checks them by itself; the caller called this function, with this name for the option.
  return renamed(
    () => create(options as Options),
    (message) =>
      message
        .replace(/^\[.+?\] \w+: (\w+)/, (_, name: string) => {
          const isGivenHere = name in given && Reflect.get(more, name) === undefined
          return `${caller}: ${isGivenHere ? hereAs(name) : `${names.more}.${name}`}`
        })
        .replace(/allowInsecureHttp: \w+/, `${names.more}: { $& }`),
  )
}

/** Returns the result of a function, with another message in a `TypeError` that it throws. */
function renamed<Result>(run: () => Result, rename: (message: string) => string): Result {
  try {
    return run()
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new TypeError(rename(error.message), { cause: error })
  }
}

/** Copies options once they are known to be some: a `Map` would pass for none at all. */
function copyOptions(more: object, name: string): Record<string, unknown> {
  let copy: Record<string, unknown> | undefined
  try {
    if (Object.prototype.toString.call(more) === '[object Object]') copy = { ...more }
  } catch {
    // Without the cause, which may quote a secret.
    check(false, caller, `${name} must be readable`)
  }
  check(copy, caller, `${name} must be an object`)
  return copy
}

/** Returns a scheme for requests whose credentials were not given: it rejects them, and nothing is sent. */
function withoutCredentials(option: NamesHere['credentials']): AuthScheme {
  return {
    name: `without ${option}`,
    covers: () => true,
    authorize({ method, url }) {
      throw new AuthError(
        'ERR_AUTH_CREDENTIALS',
        `[@svc/service-auth] ${method} ${url.origin}${url.pathname} was not sent: what is ` +
          `${option === 'user' ? '' : 'not '}below /user needs the option ${option} of createServiceAuth`,
      )
    },
  }
}
