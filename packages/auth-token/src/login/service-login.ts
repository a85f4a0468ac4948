import type { LoginRequest } from '@svc/types'
import type { UserCredentials } from '../credentials.ts'
import { loginError } from './login-errors.ts'
import type { LoginContext, LoginResult } from './login-function.ts'
import { readServerMessage } from './server-message.ts'

/** The lifetime of a token that does not tell its own, by section 5.1 of the interface. */
export const serviceLifetimeMs: number = 24 * 60 * 60 * 1000

/**
 * Sends one login to the service, and reads its token.
 *
 * @throws AuthError with one of the codes `ERR_AUTH_LOGIN_…`
 * @see Interface of the service, section 4.1
 */
export async function logInToService(
  loginUrl: URL,
  routeHeader: string,
  uniqueSession: boolean,
  { credentials, fetch }: LoginContext<UserCredentials>,
): Promise<LoginResult> {
  const { username, password, parentUid } = credentials
  const request: LoginRequest = {
    Username: username,
    Password: password,
    ...(parentUid !== undefined && { ParentUid: parentUid }),
    UniqueSession: uniqueSession,
  }
  const response = await fetch(loginUrl.href, {
    method: 'POST',
    headers: {
      accept: 'application/json',
      'content-type': 'application/json',
      [routeHeader]: 'login',
    },
    body: JSON.stringify(request),
  })
  // The session tells of its response.
  if (!response.ok) throw new Error('refused')
  const text = await response.text()
  try {
    // The session checks it.
    return { token: Object(JSON.parse(text)).Token as string }
  } catch {
    // The parser's own error quotes the text, and with it perhaps a token.
    throw loginError(`POST ${loginUrl.href}`, 'ERR_AUTH_LOGIN_NOT_JSON', 'returned no JSON', {
      status: response.status,
      serverMessage: readServerMessage(text, [password]),
    })
  }
}
