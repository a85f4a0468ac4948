import type { OAuthClientProvider, OAuthTokens } from '@modelcontextprotocol/client'

/**
 * Returns what a program has for the OAuth of the MCP SDK, once the user has signed in.
 *
 * @param onPrompt - Called when the SDK has the user sign in again.
 */
export function ownOAuth(refreshToken: string, onPrompt: () => void): OAuthClientProvider {
  const first = { access_token: 'none', token_type: 'Bearer', refresh_token: refreshToken }
  let kept: OAuthTokens | undefined = first
  const redirectUrl = 'http://127.0.0.1/callback'
  return {
    redirectUrl,
    clientMetadata: { redirect_uris: [redirectUrl], token_endpoint_auth_method: 'none' },
    clientInformation: () => ({ client_id: 'app', token_endpoint_auth_method: 'none' }),
    tokens: () => kept,
    saveTokens: (tokens) => void (kept = tokens),
    invalidateCredentials: () => void (kept = undefined),
    redirectToAuthorization: onPrompt,
    saveCodeVerifier() {},
    codeVerifier: () => '',
  }
}
