import { loginError } from '../login/login-errors.ts'
import type { TokenAuth } from '../session-scheme.ts'

/** A token as the MCP SDK takes it. */
export interface McpTokens {
  /** The access token. */
  access_token: string
  /** Always `Bearer`. */
  token_type: string
  /** The issuer that the SDK asked for. */
  issuer?: string
}

/** The authorization server that the SDK has found. */
export interface McpIssuer {
  /** Its issuer. */
  issuer: string
}

/**
 * The part of an `OAuthClientProvider` that a session needs. Both SDKs take it as their own interface.
 *
 * @see https://ts.sdk.modelcontextprotocol.io/
 */
export interface McpAuthProvider {
  /** Never opened: the session signs in by itself. */
  readonly redirectUrl: string
  /** Never registered. */
  readonly clientMetadata: Record<'redirect_uris', string[]>
  /** Says that nothing has to be registered. */
  clientInformation(context?: McpIssuer): Record<'client_id', string>
  /**
   * Resolves to a token that is good, after a sign-in or a refresh if one is needed.
   *
   * @throws AuthError `ERR_AUTH_LOGIN_FAILED` if the sign-in has `dpop`: the SDK sends no proof.
   */
  tokens(context?: McpIssuer): Promise<McpTokens | undefined>
  /** Does nothing: the session keeps its tokens. */
  saveTokens(): void
  /** Does nothing. */
  saveCodeVerifier(): void
  /** There is none. */
  codeVerifier(): string
  /**
   * Called after a 401: replaces the token that `tokens()` returned last, once.
   *
   * @throws AuthError once it is replaced, since the SDK does not send the request again by itself.
   */
  redirectToAuthorization(): Promise<void>
}

const clientName = 'svc-auth'
const redirectUrl = 'http://127.0.0.1/'

/**
 * Returns a provider on a session.
 *
 * @param open - Resolves to the session; to `undefined` for a server that may need no token, unless it asked for one.
 */
export function authProviderOf(
  title: string,
  url: URL,
  openAny: (reason: 'first' | 'challenged') => Promise<TokenAuth | undefined>,
): McpAuthProvider {
  const open: typeof openAny = async (reason) => {
    const session = await openAny(reason)
    const what =
      'has dpop, and the SDK sends each token as Bearer: give its transport the fetch of authMcp, in place of authProvider'
    if (session?.sensitiveHeaders?.includes('dpop')) {
      throw loginError(title, 'ERR_AUTH_LOGIN_FAILED', what)
    }
    return session
  }
  /** The token of the last request, until it was replaced: the refusals of an older one come later, one by one. */
  let sent: string | undefined
  /** `true` while the OAuth of the SDK, which begins with the client, looks for a token to refresh: it sends none. */
  let isLooking = false
  return Object.freeze<McpAuthProvider>({
    redirectUrl,
    clientMetadata: { redirect_uris: [redirectUrl] },
    // Without an issuer, version 2 warns that it may send a secret to another one.
    clientInformation(context) {
      isLooking = true
      return { client_id: clientName, ...context }
    },
    async tokens(context) {
      const isSent = !isLooking
      isLooking = false
      const session = await open('first')
      if (!session) return undefined
      const token = await session.getToken()
      if (isSent) sent = token
      return { access_token: token, token_type: 'Bearer', ...context }
    },
    saveTokens() {},
    saveCodeVerifier() {},
    codeVerifier: () => '',
    async redirectToAuthorization() {
      const refused = sent
      sent = undefined
      const session = await open('challenged')
      if (session && refused !== undefined) await reject(session, url, refused)
      const token = await session?.getToken()
      const what =
        token !== undefined && token === refused
          ? 'was refused, and so was the token before: call again in a minute'
          : 'was refused: there is a new token now, so send the request again; the fetch of authMcp, in place of authProvider, does that itself'
      throw loginError(title, 'ERR_AUTH_LOGIN_FAILED', what)
    },
  })
}

/** Has a session take note that the server refused a token, by the rules for a request that it authorized. */
async function reject(session: TokenAuth, url: URL, token: string): Promise<void> {
  const headers = new Headers()
  const [method, attempt, reason] = ['POST', 1, 'initial'] as const
  const request = { method, url, headers, body: undefined, attempt, reason }
  const own = await session.authorize(request)
  const isLast = own.headers.some(([, value]) => value === `Bearer ${token}`)
  await (isLast ? own.review?.({ status: 401, headers }) : own.abandon?.())
}
