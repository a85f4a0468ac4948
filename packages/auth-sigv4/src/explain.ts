import { readRequest } from '@svc/auth-hooks/read-request'
import type { AuthScheme, OutgoingRequest } from '@svc/types'
import type { SignedRequest } from './signer.ts'

/** Options of `explain`. */
export interface ExplainOptions {
  /**
   * The instant of the signature, in epoch milliseconds.
   *
   * @default now, by the service's clock as far as it is known
   */
  at?: number | undefined
}

/**
 * Every step of a signature. It contains a valid signature: do not log it.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 */
export interface Explanation {
  /** The request in the one form that both sides compute. */
  canonicalRequest: string
  /** Algorithm, date, scope and the hash of the canonical request. */
  stringToSign: string
  /** The names of the signed headers, in lower case, sorted and joined by `;`. */
  signedHeaders: string
  /**
   * What represents the body: a SHA-256 in hex, `UNSIGNED-PAYLOAD`, one of `STREAMING-…`, or what the
   * caller set as `x-amz-content-sha256`.
   */
  payloadHash: string
  /** The signature: HMAC-SHA-256 of the string to sign, in hex. */
  signature: string
  /** The URL in the form that is sent. */
  url: URL
  /** The headers that are sent, including the caller's. */
  headers: Headers
}

/** Signs a request as it would be sent, and shows every step. */
export async function explainRequest(
  scheme: AuthScheme,
  sign: (request: OutgoingRequest, at: number | undefined) => Promise<SignedRequest>,
  input: string | URL | Request,
  init: RequestInit | undefined,
  options: ExplainOptions = {},
): Promise<Explanation> {
  const { at } = options
  if (at !== undefined && !isInstant(at)) {
    throw new TypeError('at must be an instant in epoch milliseconds')
  }
  const request = await readRequest(scheme, input, init)
  const { headers, url, body: _body, ...steps } = await sign(request, at)
  const sent = new Headers([...request.headers])
  for (const [name, value] of headers) {
    if (value === null) sent.delete(name)
    else sent.set(name, value)
  }
  return { ...steps, url: new URL(url), headers: sent }
}

function isInstant(at: unknown): boolean {
  return typeof at === 'number' && !Number.isNaN(new Date(at).getTime())
}
