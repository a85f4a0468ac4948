import type { AuthError, AuthErrorCode } from '@svc/auth-hooks'
import { misnamed, type OptionNames } from '@svc/auth-hooks/scheme'
import type { LoginResult } from './login-function.ts'

const resultNames: OptionNames<LoginResult> = {
  token: 'access_token accessToken jwt id_token',
  expiresAt: 'expires_at expiry exp',
  expiresInMs: 'expiresIn expires_in lifetimeMs',
  refreshToken: 'refresh_token',
}

/**
 * Checks the result of a login.
 *
 * @param fail - Returns the error of a login with that code.
 */
export function readResult(
  result: unknown,
  fail: (code: AuthErrorCode, what: string) => AuthError,
): LoginResult {
  const misnomer = misnamed(Object(result) as object, 'the result of login', resultNames)
  const { token, expiresAt, expiresInMs, refreshToken } = Object(result) as Record<string, unknown>
  if (typeof result === 'string') {
    throw fail('ERR_AUTH_LOGIN_NO_TOKEN', 'returned a text; the result of login is { token }')
  }
  if (misnomer) throw fail('ERR_AUTH_LOGIN_BAD_TOKEN', `returned something else: ${misnomer}`)
  if (token === undefined || token === null) {
    throw fail('ERR_AUTH_LOGIN_NO_TOKEN', 'returned no token')
  }
  if (!isSendable(token)) {
    throw fail('ERR_AUTH_LOGIN_BAD_TOKEN', 'returned a token that cannot be sent in a header')
  }
  for (const [name, value] of Object.entries({ expiresAt, expiresInMs })) {
    if (value === undefined || (typeof value === 'number' && value >= 0 && value < Infinity))
      continue
    throw fail('ERR_AUTH_LOGIN_BAD_TOKEN', `returned ${name}, which is no number of milliseconds`)
  }
  const isText = typeof refreshToken === 'string' && refreshToken !== ''
  if (refreshToken !== undefined && !isText) {
    throw fail('ERR_AUTH_LOGIN_BAD_TOKEN', 'returned a refreshToken that is no text')
  }
  // Checked above.
  return { token, expiresAt, expiresInMs, refreshToken } as LoginResult
}

/** Tells if a token can be sent in a header. */
export function isSendable(token: unknown): token is string {
  return typeof token === 'string' && /^[!-~]+$/.test(token)
}
