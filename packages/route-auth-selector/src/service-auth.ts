import { assertScheme, parseBaseUrl } from '@svc/auth-hooks/scheme'
import type { AuthEvent, AuthScheme } from '@svc/types'
import { anonymous } from './anonymous.ts'
import { createRouteAuthSelector } from './route-auth-selector.ts'

/** Options of {@link createServiceAuth}. */
export interface ServiceAuthOptions {
  /** The address of the environment: its origin is the only one covered, its path the base path. */
  readonly baseUrl: string | URL
  /** The scheme of the requests under `/user`. */
  readonly token: AuthScheme
  /** The scheme of everything else. */
  readonly sigv4: AuthScheme
  /** Is told of each choice: `route.chosen`. */
  readonly onEvent?: ((event: AuthEvent) => void) | undefined
}

/**
 * The table of the service, ready made (interface, section 5): `POST /user/login` goes without
 * authentication, everything else under `/user` with a token, and the rest with a signature.
 *
 * @throws TypeError where an option is wrong; the message names it.
 * @throws AuthError from `authorize`: `ERR_AUTH_ORIGIN` where the URL is not covered, and whatever
 * the chosen scheme throws.
 * @example
 * const baseUrl = 'https://search.example.com'
 * const auth = createServiceAuth({
 *   baseUrl,
 *   token: createTokenAuth({ baseUrl, credentials: { username, password } }),
 *   sigv4: createSigV4Auth({ baseUrl, region, credentials: { accessKeyId, secretAccessKey } }),
 * })
 * const groups = await authFetch(auth)(`${baseUrl}/user/groups`)
 */
export function createServiceAuth(options: ServiceAuthOptions): AuthScheme {
  if (typeof options !== 'object' || options === null) {
    throw new TypeError('options must be an object')
  }
  const { token, sigv4, onEvent } = options
  const { origin, pathname } = parseBaseUrl(options.baseUrl)
  assertScheme('token', token)
  assertScheme('sigv4', sigv4)
  return createRouteAuthSelector({
    origins: [origin],
    basePath: pathname,
    routes: [
      { path: '/user/login', method: 'POST', use: anonymous() },
      { prefix: '/user', use: token },
    ],
    otherwise: sigv4,
    onEvent,
  })
}
