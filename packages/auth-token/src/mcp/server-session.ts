import { assertNotAborted, abortable, singleFlight } from '@svc/auth-hooks/scheme'
import type { TokenAuth } from '../session-scheme.ts'
import { type BearerChallenge, readChallenge } from './challenge.ts'
import { type DiscoverySettings, discoverServer, type McpServer } from './discovery.ts'

/** The session with one MCP server, which is not known before the server said where to sign in. */
export interface ServerSession {
  /** Returns the session, if it is known. */
  readonly known: () => TokenAuth | undefined
  /**
   * Resolves to the session, once for all who ask.
   *
   * @param header - The `www-authenticate` of a 401; without one, the server was not asked yet.
   * @returns `undefined` if the server has no metadata and was not asked yet: it may need no token.
   * @throws AuthError saying what is wrong with the server.
   */
  open(header: string | null | undefined, signal?: AbortSignal): Promise<TokenAuth | undefined>
}

/**
 * Holds the session with a server.
 *
 * @param create - Returns the session of a server; called once for each that was found.
 */
export function holdServerSession(
  settings: DiscoverySettings,
  create: (server: McpServer) => Promise<TokenAuth>,
): ServerSession {
  const { clock, loginTimeoutMs, url } = settings
  let session: TokenAuth | undefined
  let challenge: BearerChallenge | undefined
  // The overdue one of a worker whose request has ended is begun anew.
  const open = singleFlight(
    async () => {
      const server = await discoverServer(settings, challenge ?? {})
      // Servers of the first version of the protocol are their own authorization server.
      const found = server ?? (challenge && { issuer: url.origin, ...scopeOf(challenge) })
      if (found) session ??= await create(found)
      return session
    },
    2 * loginTimeoutMs,
    clock,
  )
  return {
    known: () => session,
    async open(header, signal) {
      assertNotAborted(signal)
      if (session) return session
      if (header !== undefined) challenge = readChallenge(header)
      return abortable(open(), signal)
    },
  }
}

function scopeOf({ scope }: BearerChallenge): { scope?: string } {
  return scope === undefined ? {} : { scope }
}
