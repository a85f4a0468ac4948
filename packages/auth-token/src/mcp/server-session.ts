import { abortable, assertNotAborted, singleFlight } from '@svc/auth-hooks/scheme'
import type { TokenAuth } from '../session-scheme.ts'
import { type DiscoverySettings, discoverServer, type McpServer } from './discovery.ts'

/** The session with one MCP server, which is not known before the server said where to sign in. */
export interface ServerSession {
  /** Returns the session, if it is known. */
  readonly known: () => TokenAuth | undefined
  /**
   * Resolves to the session, once for all who ask.
   *
   * @param header - The `www-authenticate` of a 401, empty if it had none; `undefined` asks the server for it.
   * @returns `undefined` if the server did not ask for a token, and has no metadata.
   * @throws AuthError saying what is wrong with the server.
   */
  open(header: string | undefined, signal?: AbortSignal): Promise<TokenAuth | undefined>
}

/**
 * Holds the session with a server.
 *
 * @param create - Returns the session of a server that was found.
 */
export function holdServerSession(
  settings: DiscoverySettings,
  create: (server: McpServer) => Promise<TokenAuth>,
): ServerSession {
  let session: TokenAuth | undefined
  let header: string | undefined
  // In a worker, the one whose request has ended is begun anew.
  const open = singleFlight(
    async () => {
      const server = await discoverServer(settings, header)
      if (server) session ??= await create(server)
      return session
    },
    2 * settings.loginTimeoutMs,
    settings.clock,
  )
  return {
    known: () => session,
    async open(given, signal) {
      assertNotAborted(signal)
      header = given ?? header
      return session ?? abortable(open(), signal)
    },
  }
}
