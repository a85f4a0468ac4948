import type { Authorization, AuthScheme } from '@svc/types'
import { type MaybePromise } from '@svc/auth-hooks/scheme'
import type { ServerSession } from './server-session.ts'

/** The reason of the attempt after a 401 to a request without a token. */
const challenged = 'challenged'

/**
 * Returns the scheme of an MCP server: requests go without a token until one is answered with 401, and then with that
 * of the session that its challenge leads to.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization
 */
export function mcpScheme(name: string, url: URL, { known, open }: ServerSession): AuthScheme {
  return {
    name,
    // The address for messages of a server with SSE is another than that of its stream.
    covers: ({ origin }) => origin === url.origin,
    coverage: () => `${url.origin} (set by url)`,
    sensitiveHeaders: ['authorization', 'mcp-session-id'],
    authorize(request): MaybePromise<Authorization> {
      const session = known()
      if (session) return session.authorize(request)
      if (request.reason === challenged) {
        const header = request.previous?.headers.get('www-authenticate') ?? ''
        return open(header, request.signal).then(
          (opened) => opened?.authorize(request) ?? { scheme: name, headers: [] },
        )
      }
      const review = ({ status }: { status: number }) => (status === 401 ? challenged : undefined)
      return { scheme: name, headers: [], review }
    },
  }
}
