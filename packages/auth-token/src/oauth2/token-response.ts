import type { LoginResult } from '../login/login-function.ts'
import { wrongServer } from './metadata.ts'

/** The longest lifetime in seconds that is told on; a session counts none that is longer. */
const mostSeconds = 1e10

/**
 * Reads the response of a token endpoint. An ID token beside the access token is of no use here, and none that is
 * wrong may cost a refresh token.
 *
 * @throws AuthError `ERR_AUTH_LOGIN_FAILED` if it has no token that is sent as Bearer.
 * @see https://www.rfc-editor.org/rfc/rfc6749#section-5.1
 */
export async function readTokenResponse(response: Response, issuer: URL): Promise<LoginResult> {
  // The session tells its status.
  if (!response.ok) throw new Error('the token endpoint gave no token')
  const body = await readJson(response)
  if (body === undefined) throw wrongServer(issuer, 'the response with the token is not JSON')
  const { access_token: token, token_type: type, expires_in: lifetime, refresh_token: next } = body
  const isBearer = typeof type === 'string' && type.toLowerCase() === 'bearer'
  if (token !== undefined && !isBearer) {
    throw wrongServer(issuer, 'the token_type of its token is not Bearer')
  }
  const seconds = Number(lifetime ?? Number.NaN)
  const expiresInMs = seconds >= 0 ? Math.min(seconds, mostSeconds) * 1000 : undefined
  // Its session checks what cannot be a token.
  return { token: token as string, expiresInMs, refreshToken: next as string | undefined }
}

/** Tells if a response says that the client is not the one that it says. */
export async function isInvalidClient(response: Response): Promise<boolean> {
  const { error } = (await readJson(response.clone())) ?? {}
  return error === 'invalid_client'
}

async function readJson(response: Response): Promise<Record<string, unknown> | undefined> {
  try {
    const body: unknown = await response.json()
    return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
