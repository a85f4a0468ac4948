import { readRequest } from '@svc/auth-hooks/read-request'
import type { AuthScheme, OutgoingRequest } from '@svc/types'
import type { SignedRequest } from './sigv4-signer.ts'

/**
 * Options of `explain`.
 *
 * @example
 * const options: ExplainOptions = { at: Date.UTC(2013, 4, 24) }
 */
export interface ExplainOptions {
  /**
   * The instant of the signature in epoch milliseconds.
   *
   * @default now, by the service's clock as far as it is known
   */
  at?: number | undefined
}

/** Every step to a signature. It holds a valid signature: do not log it. */
export interface Explanation {
  canonicalRequest: string
  stringToSign: string
  signedHeaders: string
  payloadHash: string
  signature: string
  /** The URL in the form that is sent. */
  url: URL
  /** The headers that are sent, those of the caller included. */
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
