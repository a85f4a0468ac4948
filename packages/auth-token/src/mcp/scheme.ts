import type { AuthScheme } from '@svc/types'
import { notAsked } from './discovery.ts'
import type { ServerSession } from './server-session.ts'

/** The reason of the attempt after a 401 to a request without a token. */
const challenged = 'challenged'

/**
 * Returns the scheme of an MCP server: requests go without a token until one is answered with 401, and then with that
 * of the session that its challenge leads to.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization
 */
export function mcpScheme(name: string, title: string, url: URL, held: ServerSession): AuthScheme {
  const none = { scheme: name, headers: [] }
  return {
    name,
    // The address for messages of a server with SSE is another than that of its stream.
    covers: ({ origin }) => origin === url.origin,
    coverage: () => `${url.origin} (set by url)`,
    sensitiveHeaders: ['authorization', 'mcp-session-id'],
    authorize(request) {
      const session = held.known()
      if (session) return session.authorize(request)
      if (request.reason === challenged) {
        const header = request.previous?.headers.get('www-authenticate') ?? ''
        return held
          .open(header, request.signal)
          .then((opened) => (opened ? opened.authorize(request) : none))
      }
      // A server may have no stream to get, and its session may be over: both are for the client.
      const isFirst = request.method === 'POST' && !request.headers.has('mcp-session-id')
      return {
        ...none,
        review({ status }) {
          // Each SDK tells it in another way, and some not at all.
          if (status === 404 && isFirst) throw notAsked(title, status)
          return status === 401 ? challenged : undefined
        },
      }
    },
  }
}
