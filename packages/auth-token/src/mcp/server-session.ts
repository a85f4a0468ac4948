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
  /** Returns all scopes to ask for where these ones are missing, or `undefined` if they were asked for, or cannot be. */
  wider(missing: string): string | undefined
  /** Resolves to a session with these scopes, once for all who ask. */
  widen(scope: string): Promise<TokenAuth>
  /** Makes a session that has a token with these scopes the one that is known. */
  adopt(scope: string, session: TokenAuth): void
}

/** The number of sign-ins with further scopes that a server may ask for: each one bothers the user. */
const mostWidenings = 5

/**
 * Holds the session with a server.
 *
 * @param create - Returns the session of a server that was found.
 */
export function holdServerSession(
  settings: DiscoverySettings & {
    /** The scopes to ask for in place of those that the server names. */
    readonly scope?: string | undefined
  },
  create: (server: McpServer) => Promise<TokenAuth>,
): ServerSession {
  const { scope } = settings
  let server: McpServer | undefined
  let session: TokenAuth | undefined
  let header: string | undefined
  /** `true` once the server was asked, and wants no token. */
  let isOpen = false
  let widenings = 0
  let last: { readonly scope: string; readonly session: Promise<TokenAuth> } | undefined
  // In a worker, the one whose request has ended is begun anew.
  const open = singleFlight(
    async () => {
      const used = header
      const found = await discoverServer(settings, used).catch((error: unknown) => {
        // What led nowhere is not tried again: the server may have another by then.
        if (header === used) header = undefined
        throw error
      })
      isOpen = found === undefined
      server = found && (scope === undefined ? found : { ...found, scope })
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
      // It is asked again only once it refuses a request.
      const isKnown = session !== undefined || (isOpen && given === undefined)
      return isKnown ? session : abortable(open(), signal)
    },
    wider(missing) {
      if (!server || widenings >= mostWidenings) return undefined
      const asked = new Set(server.scope?.split(' '))
      const all = new Set([...asked, ...missing.split(' ').filter(Boolean)])
      return all.size > asked.size ? [...all].join(' ') : undefined
    },
    async widen(all) {
      if (last?.scope === all) return last.session
      // That of a server that was found.
      const own = { scope: all, session: create({ ...(server as McpServer), scope: all }) }
      last = own
      widenings += 1
      own.session.catch(() => (last = last === own ? undefined : last))
      return own.session
    },
    adopt(all, wide) {
      if (server) server = { ...server, scope: all }
      session = wide
    },
  }
}
