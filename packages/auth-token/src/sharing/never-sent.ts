import { type Cause, earlySteps, maxCauses, readCause } from '../login/network-error.ts'

/**
 * The codes of failures before anything is sent, where the error does not tell its step: of Node and undici while they
 * resolve or connect, of Bun, and of a TLS handshake. A code of TLS that reading may give as well is not one of them.
 *
 * @see https://nodejs.org/api/errors.html#common-system-errors
 * @see https://nodejs.org/api/tls.html#x509-certificate-error-codes
 */
const earlyCodes: readonly RegExp[] = [
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_\w+|UND_ERR_CONNECT_TIMEOUT)$/,
  /^(?:ConnectionRefused|FailedToOpenSocket|ERR_INVALID_URL)$/,
  /^(?:CERT_\w+|CRL_\w+|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|HOSTNAME_MISMATCH)$/,
  /^(?:UNABLE_TO_\w+|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED)$/,
  /^ERR_TLS_(?:CERT_ALTNAME_INVALID|CERT_ALTNAME_FORMAT|HANDSHAKE_TIMEOUT)$/,
  // Plain HTTP at a port that should have TLS, and what a server says before it takes a connection.
  /^ERR_SSL_(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST|UNSUPPORTED_PROTOCOL)$/,
  /^ERR_SSL_(?:SSLV3_ALERT_HANDSHAKE_FAILURE|(?:SSL\/)?TLSV1_(?:ALERT_PROTOCOL_VERSION|UNRECOGNIZED_NAME))$/,
]

/**
 * Tells if a request surely did not reach the server: each attempt that stands in the error failed to resolve, to
 * connect or to secure the connection. Without a code, as in a page, nobody knows.
 */
export function wasNeverSent(error: unknown, depth = 0): boolean {
  const found = depth < maxCauses ? readCause(error) : undefined
  if (!found) return false
  const { errors, cause } = found
  if (errors.length > 0) return errors.every((one) => wasNeverSent(one, depth + 1))
  return isEarly(found) || (found.code === '' && wasNeverSent(cause, depth + 1))
}

function isEarly({ code, step }: Cause): boolean {
  if (step !== undefined) return earlySteps.has(step)
  return earlyCodes.some((pattern) => pattern.test(code))
}
