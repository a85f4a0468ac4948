import type { AuthError } from '@svc/auth-hooks'
import { isLoopback } from '@svc/auth-hooks/scheme'
import { loginError } from '../login/login-errors.ts'
import { type LastResponse, loginFetch, type LoginFetchSettings } from '../login/login-fetch.ts'
import { describeNetworkError } from '../login/network-error.ts'
import { inTime } from '../timers.ts'
import type { StepUp } from '../step-up/wanted.ts'
import { type BearerChallenge, readChallenge } from './challenge.ts'

/** What an MCP server says about the authorization that it needs. */
export interface McpServer extends StepUp {
  /** The authorization server: the first that its metadata name, or the origin of a server without metadata. */
  readonly issuer: string
  /**
   * The `resource` to ask for, as its metadata spell it (RFC 8707).
   *
   * @default none: the server has no metadata
   */
  readonly resource?: string
  /**
   * The scopes that the server asks for, separated by blanks.
   *
   * @default none: those that the authorization server gives
   */
  readonly scope?: string
}

const longestShown = 100

/** Settings of a discovery. */
export interface DiscoverySettings extends Omit<LoginFetchSettings, 'secrets' | 'beforeSending'> {
  readonly url: URL
}

/**
 * Finds out where to sign in for an MCP server: from the metadata that its challenge names, or else from those at its
 * well-known address. Sends no credential, and asks no other origin than the server's.
 *
 * @param header - The `www-authenticate` of a 401, empty if it had none; `undefined` asks the server for it.
 * @returns `undefined` for a server that has no metadata and sent no 401: it may need no token.
 * @throws AuthError `ERR_AUTH_URL` if the challenge names another origin; `ERR_AUTH_LOGIN_FAILED` if the metadata are
 * not those of the server; one of `ERR_AUTH_LOGIN_…` if they cannot be read, or not within `loginTimeoutMs`.
 * @see https://www.rfc-editor.org/rfc/rfc9728#section-3
 */
export function discoverServer(
  settings: DiscoverySettings,
  header: string | undefined,
): Promise<McpServer | undefined> {
  const { timers, loginTimeoutMs, title, url } = settings
  const what = `got no metadata within ${loginTimeoutMs} ms (loginTimeoutMs): the server did not respond`
  const late = (): AuthError => loginError(title, 'ERR_AUTH_LOGIN_TIMEOUT', what)
  return inTime(timers, loginTimeoutMs, late, undefined, async (signal) => {
    const last: LastResponse = { text: '' }
    const secrets = (): string[] => []
    const send = loginFetch({ ...settings, secrets, beforeSending: undefined }, last, signal)
    const asked = header === undefined ? await askForChallenge(settings, signal) : header
    const challenge = readChallenge(asked ?? '')
    for (const address of addresses(settings, challenge)) {
      const response = await send(address)
      if (response.ok) return readMetadata(settings, challenge, address, last.text)
      const { status } = response
      // Some servers refuse each path that they do not know.
      const isMissing = status >= 400 && status < 500 && status !== 408 && status !== 429
      if (!isMissing || challenge.resourceMetadata !== undefined) throw last.failure
    }
    if (asked === undefined) return undefined
    const { scope } = challenge
    // Servers of the first version of the protocol are their own authorization server.
    return { issuer: url.origin, ...(scope !== undefined && { scope }) }
  })
}

/**
 * Asks the server for its challenge by a message that changes nothing.
 *
 * @returns `undefined` if it does not refuse that with 401.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/ping
 */
async function askForChallenge(
  { url, fetch, title }: DiscoverySettings,
  signal: AbortSignal,
): Promise<string | undefined> {
  const accept = 'application/json, text/event-stream'
  const init: RequestInit = {
    method: 'POST',
    headers: { accept, 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'ping' }),
    redirect: 'manual',
    signal,
  }
  let response: Response
  try {
    // Called unbound: with a `this` it is an illegal invocation in browsers.
    response = await (fetch ?? globalThis.fetch)(url.href, init)
  } catch (cause) {
    signal.throwIfAborted()
    throw loginError(title, 'ERR_AUTH_LOGIN_NETWORK', describeNetworkError(cause, url), { cause })
  }
  response.body?.cancel?.().catch(() => {})
  return response.status === 401 ? (response.headers.get('www-authenticate') ?? '') : undefined
}

/** Returns the addresses at which the metadata may be, the likeliest first. */
function addresses({ url, title }: DiscoverySettings, challenge: BearerChallenge): string[] {
  const { resourceMetadata: named } = challenge
  if (named === undefined) {
    const known = `${url.origin}/.well-known/oauth-protected-resource`
    const path = url.pathname.replace(/\/$/, '')
    return path === '' ? [known] : [`${known}${path}${url.search}`, known]
  }
  const origin = URL.canParse(named) ? new URL(named).origin : 'no URL'
  if (origin === url.origin) return [new URL(named).href]
  const what = `names metadata at ${origin}, in the resource_metadata of its challenge: they must be at ${url.origin}. Ask its operator, or give signIn a login with an issuer`
  throw loginError(title, 'ERR_AUTH_URL', what)
}

/**
 * Reads the metadata of a server.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9728#section-3.3
 */
function readMetadata(
  { url, title }: DiscoverySettings,
  challenge: BearerChallenge,
  address: string,
  text: string,
): McpServer {
  const wrong = (what: string): AuthError =>
    loginError(
      title,
      'ERR_AUTH_LOGIN_FAILED',
      `has metadata at ${shownUrl(new URL(address))} that ${what}`,
    )
  let metadata: Record<string, unknown>
  try {
    metadata = Object(JSON.parse(text)) as Record<string, unknown>
  } catch {
    throw wrong('are not JSON')
  }
  const { resource, authorization_servers: servers, scopes_supported: scopes } = metadata
  const isOwn = typeof resource === 'string' && URL.canParse(resource) && holds(resource, url)
  if (!isOwn) {
    const isUrl = typeof resource === 'string' && URL.canParse(resource)
    // Its address may be of any length.
    const named = isUrl ? shownUrl(new URL(resource)) : 'none'
    throw wrong(`are of another resource: ${named}, not ${shownUrl(url)}; check url`)
  }
  const issuer: unknown = Array.isArray(servers) ? servers[0] : undefined
  if (typeof issuer !== 'string' || !URL.canParse(issuer)) {
    throw wrong('name no authorization server; give signIn a login with an issuer')
  }
  const { origin, protocol } = new URL(issuer)
  if (protocol !== 'https:' && !isLoopback(new URL(issuer))) {
    throw wrong(`name the authorization server ${origin}, which is not https`)
  }
  if (issuer.includes('/.well-known/')) {
    throw wrong(`name the metadata of the authorization server ${origin} in place of its issuer`)
  }
  const areTexts = Array.isArray(scopes) && scopes.every((one) => typeof one === 'string')
  const scope = challenge.scope ?? (areTexts ? scopes.join(' ') : '')
  return { issuer, resource, ...(scope !== '' && { scope }) }
}

/** Returns a URL for a message: without its query, which may hold a secret. */
function shownUrl({ origin, pathname }: URL): string {
  const path = pathname.length > longestShown ? `${pathname.slice(0, longestShown)}…` : pathname
  return origin + path
}

/**
 * Tells if a resource is the one that a URL is of: an origin, with the path that it has or one above it, as servers
 * with several endpoints name it.
 */
function holds(resource: string, url: URL): boolean {
  const { origin, pathname, search } = new URL(resource)
  const below = `${url.pathname.replace(/\/$/, '')}/`
  const isAbove = below.startsWith(`${pathname.replace(/\/$/, '')}/`)
  return origin === url.origin && isAbove && (search === '' || search === url.search)
}
