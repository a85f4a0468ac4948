import { abortable, assertNotAborted, singleFlight } from '@svc/auth-hooks/scheme'
import type { TokenAuth } from '../session-scheme.ts'
import { answering } from '../step-up/answering.ts'
import { namesIn } from '../step-up/demand.ts'
import { toStepUp } from '../step-up/wanted.ts'
import { type DiscoverySettings, discoverServer, type McpServer } from './discovery.ts'

/** The session with one MCP server, which is not known before the server said where to sign in. */
export interface ServerSession {
  /** Returns the session, if it is known. */
  readonly known: () => TokenAuth | undefined
  /** Returns the status of a server that did not ask for a token. */
  readonly status: () => number | undefined
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
 * Holds the session with a server, which is asked for more where the server asks for that.
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
  const { clock, scope } = settings
  let session: TokenAuth | undefined
  let header: string | undefined
  /** Given once the server was asked, and wants no token. */
  let status: number | undefined
  const createAnswering = async (server: McpServer): Promise<TokenAuth> => {
    const wanted = { scopes: namesIn(server.scope), acrValues: [] }
    return answering({ wanted, session: await create(server) }, clock, (wider) =>
      create({ ...server, ...toStepUp(wider) }),
    )
  }
  // In a worker, the one whose request has ended is begun anew.
  const open = singleFlight(
    async () => {
      const used = header
      const found = await discoverServer(settings, used).catch((error: unknown) => {
        // What led nowhere is not tried again: the server may have another by then.
        if (header === used) header = undefined
        throw error
      })
      if (typeof found === 'number') status = found
      else session ??= await createAnswering(scope === undefined ? found : { ...found, scope })
      return session
    },
    2 * settings.loginTimeoutMs,
    clock,
  )
  return {
    known: () => session,
    status: () => status,
    async open(given, signal) {
      assertNotAborted(signal)
      header = given ?? header
      // It is asked again only once it refuses a request.
      const isKnown = session !== undefined || (status !== undefined && given === undefined)
      return isKnown ? session : abortable(open(), signal)
    },
  }
}
