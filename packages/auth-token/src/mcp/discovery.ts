import { AuthError } from '@svc/auth-hooks'
import { loginError } from '../login/login-errors.ts'
import { type LastResponse, loginFetch, type LoginFetchSettings } from '../login/login-fetch.ts'
import { describeNetworkError } from '../login/network-error.ts'
import { readResourceMetadata } from '../sign-in/resource-metadata.ts'
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
   * The scopes that its challenge names, or else its metadata, separated by blanks.
   *
   * @default none: those that the authorization server gives
   */
  readonly scope?: string
}

/** Settings of a discovery. */
export interface DiscoverySettings extends Omit<LoginFetchSettings, 'secrets' | 'beforeSending'> {
  readonly url: URL
}

/**
 * Finds out where to sign in for an MCP server: from the metadata that its challenge names, or else from those at its
 * well-known address. Sends no credential, and asks no other origin than the server's.
 *
 * @param header - The `www-authenticate` of a 401, empty if it had none; `undefined` asks the server for it.
 * @returns the status of a server that has no metadata and sent no 401: it may need no token.
 * @throws AuthError `ERR_AUTH_URL` if the challenge names another origin; `ERR_AUTH_LOGIN_FAILED` if the metadata are
 * not those of the server; one of `ERR_AUTH_LOGIN_…` if they cannot be read, or not within `loginTimeoutMs`.
 * @see https://www.rfc-editor.org/rfc/rfc9728#section-3
 */
export function discoverServer(
  settings: DiscoverySettings,
  header: string | undefined,
): Promise<McpServer | number> {
  const { timers, loginTimeoutMs, title, url } = settings
  const what = `got no metadata within ${loginTimeoutMs} ms (loginTimeoutMs): the server did not respond`
  const late = (): AuthError => loginError(title, 'ERR_AUTH_LOGIN_TIMEOUT', what)
  return inTime(timers, loginTimeoutMs, late, undefined, async (signal) => {
    const last: LastResponse = { text: '' }
    const secrets = (): string[] => []
    const send = loginFetch({ ...settings, secrets, beforeSending: undefined }, last, signal)
    const asked =
      header === undefined ? await askForChallenge(settings, signal) : { status: 401, header }
    const challenge = readChallenge(asked.header)
    const named = addressIn(settings, challenge)
    const found = await readResourceMetadata(url, send, named).catch((error: unknown) => {
      throw AuthError.is(error) ? error : (last.failure ?? error)
    })
    // What the server names for this very request comes before what its metadata name for all.
    if (found) return { ...found, ...(challenge.scope !== undefined && { scope: challenge.scope }) }
    if (asked.status !== 401) return asked.status
    const { scope } = challenge
    // Servers of the first version of the protocol are their own authorization server.
    return { issuer: url.origin, ...(scope !== undefined && { scope }) }
  })
}

/** Returns the error of a server that has not asked for a token, perhaps since there is none at this path. */
export function notAsked(title: string, status: number | undefined): AuthError {
  const hint = status === 404 ? ': check the path of url' : ''
  const what = `was not made: the server asked for no token and returned status ${status}${hint}`
  return loginError(title, 'ERR_AUTH_LOGIN_FAILED', what, { status })
}

/**
 * Asks the server for its challenge, which comes with a 401, by a message that changes nothing.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/ping
 */
async function askForChallenge(
  { url, fetch, title }: DiscoverySettings,
  signal: AbortSignal,
): Promise<{ readonly status: number; readonly header: string }> {
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
  const { status, headers } = response
  return { status, header: (status === 401 && headers.get('www-authenticate')) || '' }
}

/** Returns the address of the metadata that a challenge names, which must be of the same origin. */
function addressIn(
  { url, title }: DiscoverySettings,
  { resourceMetadata: named }: BearerChallenge,
): string | undefined {
  if (named === undefined) return undefined
  const origin = URL.canParse(named) ? new URL(named).origin : 'no URL'
  if (origin === url.origin) return new URL(named).href
  const what = `names metadata at ${origin}, in the resource_metadata of its challenge: they must be at ${url.origin}. Ask its operator, or give signIn a login with an issuer`
  throw loginError(title, 'ERR_AUTH_URL', what)
}
