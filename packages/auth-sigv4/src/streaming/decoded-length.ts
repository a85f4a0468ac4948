import { AuthError } from '@svc/auth-hooks'
import type { OutgoingBody, OutgoingRequest } from '@svc/types'

/** The headers by which a caller announces how long a stream is, the first one first. */
const lengthHeaders = ['x-amz-decoded-content-length', 'content-length'] as const

/**
 * How long a body is before it is cut into chunks: what the body itself knows, else what the caller
 * announces.
 *
 * @throws AuthError `ERR_AUTH_BODY` where nothing says it, or two say otherwise.
 */
export function decodedLength(
  { headers }: Pick<OutgoingRequest, 'headers'>,
  body: OutgoingBody,
  place: string,
): number {
  let length = body.size
  for (const name of lengthHeaders) {
    const value = headers.get(name)
    if (value === null) continue
    const announced = /^\d+$/.test(value) ? Number(value) : Number.NaN
    if (!Number.isSafeInteger(announced)) {
      throw refusal(place, `${name} must be the body's length in bytes`)
    }
    length ??= announced
    if (length !== announced) {
      throw refusal(place, `${name} is ${announced}, but the body has ${length} bytes`)
    }
  }
  if (length !== undefined) return length
  throw refusal(
    place,
    "the length of a body in signed chunks must be known in advance: set content-length to the stream's length " +
      'in bytes (or x-amz-decoded-content-length, if content-length cannot be set)',
  )
}

function refusal(place: string, what: string): AuthError {
  return new AuthError('ERR_AUTH_BODY', `[@svc/auth-sigv4] ${place}: ${what}`)
}
