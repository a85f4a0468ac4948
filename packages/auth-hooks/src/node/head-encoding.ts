import { AuthError } from '../kit/errors.ts'
import type { OutgoingHeaders } from '../kernel/headers.ts'

/**
 * Throws where `node:http` would send other bytes than those that were signed: a head that goes ahead
 * of a body, which waits for a 100, is written as UTF-8 and not as Latin-1.
 *
 * @throws AuthError `ERR_AUTH_HEADER`
 */
export function refuseRecodedHead(headers: OutgoingHeaders): void {
  if (!headers.has('expect')) return
  for (const [name, value] of headers) {
    if (!/[\x80-\xff]/.test(value)) continue
    throw new AuthError(
      'ERR_AUTH_HEADER',
      `[@svc/auth-hooks] the value of the header ${name} cannot be sent with an expect header: ` +
        'use only ASCII characters; nothing was sent',
    )
  }
}
