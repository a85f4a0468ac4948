import { createSigV4Auth } from '@svc/auth-sigv4'
import { createTokenAuth } from '@svc/auth-token'
import { createServiceAuth } from '@svc/service-auth'
import type { AuthScheme, Fetch } from '@svc/types'
import type { ServiceAddress } from './contender.ts'

export const region = 'us-east-1'

/** The path that each credential is for. */
export const paths = { token: '/user/groups', signature: '/V1/reports/report.json' } as const

/** Returns a scheme that only sends a token. */
export function tokenScheme({ baseUrl, user }: ServiceAddress): AuthScheme {
  return createTokenAuth({ baseUrl, credentials: user })
}

/** Returns a scheme that only signs. */
export function signatureScheme({ baseUrl, apiKey }: ServiceAddress): AuthScheme {
  return createSigV4Auth({ baseUrl, region, credentials: apiKey })
}

/** Returns a selector, which chooses between the two by the path. `fetch` sends its logins. */
export function selectorScheme({
  baseUrl,
  user,
  apiKey,
  fetch,
}: ServiceAddress & { readonly fetch?: Fetch }): AuthScheme {
  return createServiceAuth({ baseUrl, region, user, apiKey, tokenOptions: { fetch } })
}
