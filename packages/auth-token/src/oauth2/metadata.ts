import { AuthError } from '@svc/auth-hooks'
import * as oauth from 'oauth4webapi'

/**
 * Finds the metadata of an issuer: by OpenID Connect, or else by OAuth.
 *
 * @throws AuthError `ERR_AUTH_LOGIN_FAILED` if they are not those of the issuer.
 * @see https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderConfig
 * @see https://www.rfc-editor.org/rfc/rfc8414#section-3
 */
export async function discover(
  issuer: URL,
  options: oauth.HttpRequestOptions<'GET'>,
): Promise<oauth.AuthorizationServer> {
  const openId = await oauth.discoveryRequest(issuer, { ...options, algorithm: 'oidc' })
  const isElsewhere = openId.status >= 400 && openId.status < 500
  const response = isElsewhere
    ? await oauth.discoveryRequest(issuer, { ...options, algorithm: 'oauth2' })
    : openId
  const { ok, status } = response
  if (status >= 400 && status < 500 && status !== 408 && status !== 429) {
    const url = `${issuer.href.replace(/\/$/, '')}/.well-known/openid-configuration`
    throw wrongServer(issuer, `${url} returned status ${status}; check issuer`, status)
  }
  // The session tells its status.
  if (!ok) throw new Error('the metadata could not be read')
  try {
    const metadata = await oauth.processDiscoveryResponse(issuer, response)
    const { token_endpoint: endpoint } = metadata
    if (typeof endpoint === 'string' && URL.canParse(endpoint)) return metadata
  } catch (error) {
    throw wrongServer(issuer, messageOf(error))
  }
  throw wrongServer(issuer, 'its metadata have no token_endpoint')
}

/** Returns an error that says what is wrong with a response. The response is not in it, since it may hold a token. */
export function wrongServer(issuer: URL, what: string, status?: number): AuthError {
  return new AuthError(
    'ERR_AUTH_LOGIN_FAILED',
    `[@svc/auth-token] the authorization server ${issuer.origin} is not as it must be: ${what}`,
    { status },
  )
}

/** Returns the words of the library, which quote nothing. */
function messageOf(error: unknown): string {
  return error instanceof oauth.OperationProcessingError ? error.message : 'it has no metadata'
}
