import type { AuthScheme, OutgoingRequest } from '@svc/types'
import { freezeCopy, outgoing } from './outgoing-request.ts'

/**
 * Reads what `fetch` takes into what a scheme sees of it. A `Request` is cloned and stays usable.
 *
 * @throws AuthError `ERR_AUTH_ORIGIN`, `ERR_AUTH_URL`, `ERR_AUTH_HEADER`
 */
export async function readRequest(
  scheme: AuthScheme,
  input: string | URL | Request,
  init?: RequestInit,
): Promise<OutgoingRequest> {
  return outgoing(await freezeCopy(scheme, input, init), 1, 'initial')
}
