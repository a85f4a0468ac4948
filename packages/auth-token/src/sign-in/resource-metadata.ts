import type { AuthError } from '@svc/auth-hooks'
import type { Fetch } from '@svc/types'
import { isMissing, loginError } from '../login/login-errors.ts'
import { isSafeUrl, mayName } from './safe-url.ts'

/** What a protected resource says about the authorization that it needs. */
export interface ResourceMetadata {
  /** The authorization server that it names first. */
  readonly issuer: string
  /** The `resource` to ask for, as it spells that. */
  readonly resource: string
  /** The scopes that it names, separated by blanks; absent if it names none. */
  readonly scope?: string
}

const longestShown = 100

/**
 * Reads the metadata of a resource: those at an address that it named, or else those below its own path, or else those
 * of its origin.
 *
 * @param fetch - That of a login, which notes why a response was none of success.
 * @param named - The address that its challenge names.
 * @returns `undefined` if it has none.
 * @throws AuthError `ERR_AUTH_LOGIN_FAILED` if they are not as they must be. An error of no account if a server did not
 * give them, which may pass: `fetch` has noted its status.
 * @see https://www.rfc-editor.org/rfc/rfc9728#section-3
 */
export async function readResourceMetadata(
  resource: URL,
  fetch: Fetch,
  named?: string,
): Promise<ResourceMetadata | undefined> {
  const known = `${resource.origin}/.well-known/oauth-protected-resource`
  const own = known + resource.pathname.replace(/\/$/, '') + resource.search
  for (const address of named === undefined ? new Set([own, known]) : [named]) {
    const response = await fetch(address, { headers: { accept: 'application/json' } })
    if (response.ok) return readMetadata(resource, address, await response.text())
    // Some servers refuse each path that they do not know.
    if (named !== undefined || !isMissing(response.status)) throw new Error('refused')
  }
  return undefined
}

/** @see https://www.rfc-editor.org/rfc/rfc9728#section-3.3 */
function readMetadata(own: URL, address: string, text: string): ResourceMetadata {
  const wrong = (what: string): AuthError =>
    loginError(
      `the resource ${shownUrl(own)}`,
      'ERR_AUTH_LOGIN_FAILED',
      `has metadata at ${shownUrl(new URL(address))} that ${what}`,
    )
  let metadata: Record<string, unknown>
  try {
    metadata = Object(JSON.parse(text)) as Record<string, unknown>
  } catch {
    throw wrong('are not JSON; check the address, or give issuer')
  }
  const { resource, authorization_servers: servers, scopes_supported: scopes } = metadata
  const isUrl = typeof resource === 'string' && URL.canParse(resource)
  if (!isUrl || !holds(new URL(resource), own)) {
    const other = isUrl ? shownUrl(new URL(resource)) : 'none'
    throw wrong(
      `are of another resource: ${other}, not ${shownUrl(own)}; check the address, or give issuer`,
    )
  }
  const issuer: unknown = Array.isArray(servers) ? servers[0] : undefined
  if (typeof issuer !== 'string' || !URL.canParse(issuer)) {
    throw wrong('name no authorization server; give issuer')
  }
  const { origin } = new URL(issuer)
  const is = `name the authorization server ${origin}`
  if (!isSafeUrl(issuer)) throw wrong(`${is}, which is not https; give issuer`)
  if (!mayName(own, issuer)) {
    throw wrong(`${is}, an address of this machine or network; give issuer if it is right`)
  }
  if (issuer.includes('/.well-known/')) {
    throw wrong(`name the metadata of the authorization server ${origin} in place of its issuer`)
  }
  const areTexts = Array.isArray(scopes) && scopes.every((one) => typeof one === 'string')
  const scope = areTexts ? scopes.join(' ') : ''
  return { issuer, resource, ...(scope !== '' && { scope }) }
}

/** Returns a URL for a message: without its query, which may hold a secret, and at most so long. */
function shownUrl({ origin, pathname }: URL): string {
  const path = pathname.length > longestShown ? `${pathname.slice(0, longestShown)}…` : pathname
  return origin + path
}

/**
 * Tells if a resource is the one that a URL is of: an origin, with the path that it has or one above it, as servers
 * with several endpoints name it.
 */
function holds({ origin, pathname, search }: URL, url: URL): boolean {
  const below = `${url.pathname.replace(/\/$/, '')}/`
  const isAbove = below.startsWith(`${pathname.replace(/\/$/, '')}/`)
  return origin === url.origin && isAbove && (search === '' || search === url.search)
}
