import { chain, type MaybePromise } from '@svc/auth-hooks/scheme'
import type { Authorization, AuthScheme, OutgoingRequest } from '@svc/types'
import type { TokenAuth } from '../session-scheme.ts'
import { readChallenge } from './challenge.ts'
import type { ServerSession } from './server-session.ts'

/** The reason of the attempt after a 401 to a request without a token. */
const challenged = 'challenged'
/** The reason of the attempt after a 403 that names scopes. */
const tooNarrow = 'insufficient-scope'

/**
 * Returns the scheme of an MCP server: requests go without a token until one is answered with 401, and then with that
 * of the session that its challenge leads to. A 403 that names scopes leads to a sign-in with these as well.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization
 */
export function mcpScheme(name: string, url: URL, held: ServerSession): AuthScheme {
  const none = { scheme: name, headers: [] }

  /** Authorizes by the session, and looks at the response for scopes that its token lacks. */
  const authorizeBy = (session: TokenAuth, request: OutgoingRequest): MaybePromise<Authorization> =>
    chain(session.authorize(request), (own) => ({
      ...own,
      review: (head) =>
        chain(own.review?.(head), (reason) => {
          if (reason !== undefined || head.status !== 403) return reason
          return missingIn(head.headers.get('www-authenticate'), held) && tooNarrow
        }),
    }))

  const authorizeWider = async (request: OutgoingRequest): Promise<Authorization> => {
    const scope = missingIn(request.previous?.headers.get('www-authenticate'), held)
    const session = held.known()
    // Another request was faster.
    if (scope === undefined && session) return session.authorize(request)
    if (scope === undefined) return none
    const wide = await held.widen(scope)
    // The token that is there stays where the user grants no more.
    const authorization = await wide.authorize(request)
    held.adopt(scope, wide)
    return authorization
  }

  return {
    name,
    // The address for messages of a server with SSE is another than that of its stream.
    covers: ({ origin }) => origin === url.origin,
    coverage: () => `${url.origin} (set by url)`,
    sensitiveHeaders: ['authorization', 'mcp-session-id'],
    authorize(request) {
      if (request.reason === tooNarrow) return authorizeWider(request)
      const session = held.known()
      if (session) return authorizeBy(session, request)
      if (request.reason === challenged) {
        const header = request.previous?.headers.get('www-authenticate') ?? ''
        return held
          .open(header, request.signal)
          .then((opened) => (opened ? authorizeBy(opened, request) : none))
      }
      return { ...none, review: ({ status }) => (status === 401 ? challenged : undefined) }
    },
  }
}

/** Returns the scopes to ask for after a 403, if it is for want of some that were not asked for. */
function missingIn(header: string | null | undefined, held: ServerSession): string | undefined {
  const { error, scope } = readChallenge(header ?? '')
  return error === 'insufficient_scope' && scope !== undefined ? held.wider(scope) : undefined
}
