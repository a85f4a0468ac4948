import type { AuthScheme } from '@svc/auth-sigv4'
import type { Explanation } from '@svc/auth-sigv4/explain'
import type { SignatureRead } from '@svc/auth-sigv4/inspect'
import { nobleEngine } from '@svc/auth-sigv4/noble'
import { byteString, type PastedKey, type PastedRequest } from '../input/pasted-request.ts'

/** A request with all that is known of its signature. */
export interface SignedParts {
  readonly request: PastedRequest
  /** The signature that it bears; `undefined` if it bears none. */
  readonly read: SignatureRead | undefined
  readonly key: PastedKey
  /** The scheme that explains and diagnoses it. */
  readonly auth: AuthScheme
  readonly explanation: Explanation
  readonly now: number
}

/** The algorithm whose signatures are computed. */
export const computedAlgorithm = 'AWS4-HMAC-SHA256'

const noble = nobleEngine()
const hashes = new WeakMap<Uint8Array, ReturnType<typeof noble.hash>>()

/**
 * Computes hashes and signatures in any page, a secure context or not. A body is hashed once, however many forms of
 * its request are tried.
 */
export const engine: ReturnType<typeof nobleEngine> = {
  ...noble,
  hash(data) {
    if (typeof data === 'string') return noble.hash(data)
    const hash = hashes.get(data) ?? noble.hash(data)
    hashes.set(data, hash)
    return hash
  },
}

/** Returns the SHA-256 of bytes in hex. */
export function hashOf(bytes: Uint8Array): string {
  const hash = engine.hash(bytes)
  if (typeof hash === 'string') return hash
  throw new TypeError('the engine of this page is synchronous')
}

/** What `fetch` would be given for the request. */
export function initOf({ method, headers, body, isForm }: PastedRequest): RequestInit {
  const sent = headers.filter(([name]) => !/^(?:host|authorization)$/i.test(name))
  return {
    method,
    headers: sent.map(([name, value]): [string, string] => [name, byteString(value)]),
    ...(isForm === true ? { body: new FormData() } : body && { body }),
  }
}
