/**
 * The sign-in of an MCP client: a `fetch` for the HTTP transports of the MCP TypeScript SDK, and an
 * `OAuthClientProvider` for what takes only that.
 *
 * @module @svc/auth-token/mcp
 */
import { AuthError, authFetch, type Fetch } from '@svc/auth-hooks'
import {
  check,
  checkFunctions,
  checkOptions,
  type OptionNames,
  readTrustRedirects,
} from '@svc/auth-hooks/scheme'
import { loginError } from '../login/login-errors.ts'
import type { OAuth2Login } from '../oauth2/grant-login.ts'
import { type IssuerBy, signInKey, type SignInTokenOptions } from '../oauth2/sign-in.ts'
import { createSessionAuth } from '@svc/auth-token'
import type { TokenAuth } from '../session-scheme.ts'
import { isSafeUrl } from '../sign-in/safe-url.ts'
import { type SessionOptions, sessionOptionNames } from '../session/session-options.ts'
import { internalsOf, inTime } from '../timers.ts'
import { type DiscoverySettings, type McpServer, notAsked } from './discovery.ts'
import { authProviderOf, type McpAuthProvider } from './provider.ts'
import { mcpScheme } from './scheme.ts'
import { holdServerSession, type ServerSession } from './server-session.ts'

export type { McpServer } from './discovery.ts'
export type { McpAuthProvider, McpIssuer, McpTokens } from './provider.ts'

/** Options of {@link authMcp}. */
export interface McpAuthOptions extends Omit<
  SessionOptions,
  'allowInsecureHttp' | 'fetch' | 'origins' | 'rejectedStatuses'
> {
  /** The address of the MCP server, https or on loopback: the one that the transport gets. */
  url: string | URL
  /**
   * The sign-in: what `loopback()` or `deviceCode()` of `@svc/auth-token/sign-in` returns, to which the server itself tells
   * the `issuer`, the `resource` and the `scope` that are not given; a login such as `refreshToken()` of
   * `@svc/auth-token/oauth2` returns; or a function that returns either for what the server says. It must look at
   * the issuer before it returns a secret for it. A `scope` that is given comes before all that the server names.
   */
  signIn: McpLogin | ((server: McpServer) => McpLogin | Promise<McpLogin>)
  /**
   * The `fetch` that sends everything: the requests to the server, its metadata and the sign-in.
   *
   * @default the global `fetch`, looked up at each request
   */
  fetch?: Fetch | undefined
}

/** A way to sign in, or a login. */
export type McpLogin = SignInTokenOptions | OAuth2Login

/** The sign-in of an MCP client. */
export interface McpAuth {
  /** For the option `fetch` of the transports. Pass it without an `authProvider`. */
  readonly fetch: Fetch
  /** For what takes no `fetch`. It fails for one request after a 401, which the SDK does not send again. */
  readonly authProvider: McpAuthProvider
  /**
   * Resolves to the token, after a sign-in if one is needed: before `connect()`, so that no timeout of the SDK runs
   * while the user signs in, or for a program that only prints it.
   *
   * @throws AuthError if the sign-in fails. `signal.reason` if the signal aborts.
   */
  readonly getToken: (options?: { readonly signal?: AbortSignal | undefined }) => Promise<string>
  /**
   * Drops the token that this client was given last, and any pause, so that the next call refreshes or asks the user. A
   * newer token stays, since other processes share it. Sends nothing.
   */
  readonly invalidate: () => Promise<void>
}

const caller = '[@svc/auth-token] authMcp'

const optionNames: OptionNames<McpAuthOptions> = /* @__PURE__ */ (() => {
  const {
    allowInsecureHttp: _http,
    origins: _origins,
    rejectedStatuses: _all,
    ...rest
  } = sessionOptionNames
  return { ...rest, url: 'serverUrl baseUrl endpoint', signIn: 'login auth' }
})()

/**
 * Signs in for one MCP server, once for all processes that share a store, however many clients and requests there are.
 * A rotating refresh token is sent once.
 *
 * @throws TypeError at construction, if an option is wrong; the message names it.
 * @throws AuthError from what it returns: `ERR_AUTH_URL` if the challenge of the server names metadata elsewhere;
 * `ERR_AUTH_LOGIN_FAILED` if they are not those of this server; and those of the sign-in.
 * @example
 * import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
 * import { fileTokenStore } from '@svc/auth-token/file-store'
 * import { authMcp } from '@svc/auth-token/mcp'
 * import { loopback, openBrowser } from '@svc/auth-token/sign-in'
 *
 * const url = 'https://mcp.example.com/mcp'
 * const signIn = loopback({ open: openBrowser })
 * const { fetch } = authMcp({ url, store: fileTokenStore(), signIn })
 * export const transport = new StreamableHTTPClientTransport(new URL(url), { fetch })
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization
 */
export function authMcp(options: McpAuthOptions): McpAuth {
  const { url: given, signIn, ...session } = checkOptions(options, caller, optionNames)
  const url = readUrl(given)
  const isRight = typeof signIn === 'function' || isLogin(signIn)
  check(isRight, caller, `signIn must be ${logins}, or a function`)
  const { clock = () => Date.now(), loginTimeoutMs = 15_000, fetch } = session
  checkFunctions({ clock: session.clock, fetch }, caller)
  const title = `the sign-in for ${url.origin}${url.pathname}`
  /** `true` once this client was invalidated before its server was known. */
  let isInvalidated = false
  const create = (login: McpLogin, server?: McpServer): TokenAuth => {
    const own = loginOf(login, server, typeof signIn === 'function')
    const created = createSessionAuth({ ...session, ...own, name: 'mcp', baseUrl: url.origin })
    if (isInvalidated) void created.invalidate()
    isInvalidated = false
    return created
  }
  const settings = {
    url,
    title,
    clock,
    fetch,
    loginTimeoutMs,
    allowInsecureHttp: false,
    trustRedirects: readTrustRedirects(session, caller),
    timers: internalsOf(clock).timers,
    scope: Object(signIn).scope as string | undefined,
  }
  // Nothing happens before one is asked: its options are looked at.
  const probe = { ...session, name: 'mcp', baseUrl: url.origin }
  if (typeof signIn === 'function') {
    createSessionAuth({ ...probe, credentials: {}, login: () => ({ token: 'none' }) })
  } else createSessionAuth({ ...probe, ...loginOf(signIn, { issuer: url.origin }) })
  const held = holdServerSession(settings, async (server) =>
    create(
      typeof signIn === 'function' ? await callSignIn(signIn, server, settings) : signIn,
      server,
    ),
  )
  const holder =
    typeof signIn === 'function' || !isWhole(signIn) ? held : holdFixed(create(signIn), held)
  const { onEvent, trustRedirects } = session
  return Object.freeze<McpAuth>({
    fetch: authFetch(mcpScheme('mcp', title, url, holder), { fetch, onEvent, trustRedirects }),
    authProvider: authProviderOf(title, url, (reason) =>
      holder.open(reason === 'first' ? undefined : ''),
    ),
    async getToken(asked = {}) {
      const { signal } = asked
      const opened = await holder.open(undefined, signal)
      if (opened) return opened.getToken(asked)
      throw notAsked(title, holder.status())
    },
    async invalidate() {
      const known = holder.known()
      isInvalidated = !known
      await known?.invalidate()
    },
  })
}

const logins = 'what loopback(), deviceCode() or refreshToken() returns'

function isLogin(given: unknown): given is McpLogin {
  const { login, refreshToken } = Object(given) as Partial<OAuth2Login & SignInTokenOptions>
  return typeof login === 'function' || typeof Object(refreshToken)[signInKey] === 'function'
}

/**
 * Calls the function that returns a login, in the time of one.
 *
 * @throws AuthError `ERR_AUTH_CREDENTIALS` if it fails or returns something else; `ERR_AUTH_LOGIN_TIMEOUT` if it does
 * not return.
 */
async function callSignIn(
  signIn: Extract<McpAuthOptions['signIn'], Function>,
  server: McpServer,
  { title, timers, loginTimeoutMs }: DiscoverySettings,
): Promise<McpLogin> {
  const what = `was not made within ${loginTimeoutMs} ms (loginTimeoutMs): signIn did not return`
  const late = (): AuthError => loginError(title, 'ERR_AUTH_LOGIN_TIMEOUT', what)
  let login: unknown
  try {
    login = await inTime(timers, loginTimeoutMs, late, undefined, () => signIn(server))
  } catch (cause) {
    if (AuthError.is(cause)) throw cause
    throw loginError(title, 'ERR_AUTH_CREDENTIALS', 'was not made: signIn failed', { cause })
  }
  if (isLogin(login)) return login
  throw loginError(title, 'ERR_AUTH_CREDENTIALS', `was not made: signIn must return ${logins}`)
}

/** Tells if a login needs nothing that a server says about itself. */
function isWhole(login: McpLogin): boolean {
  return 'login' in login || login.issuer !== undefined
}

/** Returns a login with what the server says, where that is not given. */
function loginOf(login: McpLogin, server?: McpServer, sawServer = false): OAuth2Login {
  if ('login' in login) return login
  const given = Object.entries(login).filter(([, value]) => value !== undefined)
  // Its own options: those that are not given would hide what the server says.
  const { refreshToken, rotation, ...own } = Object.fromEntries(
    given,
  ) as unknown as SignInTokenOptions
  const scope = server?.scope ?? own.scope
  return refreshToken[signInKey](
    { ...server, ...own, ...(scope !== undefined && { scope }) },
    rotation === 'none' ? Infinity : (own.reuseGraceMs ?? 0),
    // A server knows the scopes of its tools, and not of tokens that last.
    own.scope === undefined,
    issuerBy(own.issuer, sawServer ? server : undefined),
  )
}

/** @param seen - What the program has seen before it gave the issuer. */
function issuerBy(issuer: string | URL | undefined, seen: McpServer | undefined): IssuerBy {
  if (issuer === undefined) return 'metadata'
  const nameOf = (given: string | URL): string => `${given}`.replace(/\/$/, '')
  return seen && nameOf(issuer) === nameOf(seen.issuer) ? 'both' : 'program'
}

/** Holds a session that needs nothing that the server says. */
function holdFixed(session: TokenAuth, held: ServerSession): ServerSession {
  return { ...held, known: () => session, open: async () => session }
}

/** Reads the address of a server. */
function readUrl(given: string | URL): URL {
  const text = given instanceof URL ? given.href : given
  const url = typeof text === 'string' && URL.canParse(text) && new URL(text)
  check(url && isSafeUrl(text), caller, 'url must be a URL with https://, or http:// on loopback')
  check(url.username === '' && url.password === '', caller, 'url must not contain credentials')
  return url
}
