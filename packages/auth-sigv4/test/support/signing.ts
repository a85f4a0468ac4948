import type { OutgoingRequest } from '@svc/types'
import { aws4Engine } from '../../src/engines/aws4.ts'
import { createSigV4Auth, type SigV4Auth, type SigV4AuthOptions } from '../../src/index.ts'
import { nativeEngine } from '../../src/engines/native.ts'
import type { SigningEngine } from '../../src/engines/engine.ts'
import { webCryptoEngine } from '../../src/engines/webcrypto.ts'
import { apiKey, signedAt } from '../fixtures/s3-examples.ts'

/** All engines there are. */
export const engines: readonly SigningEngine[] = [nativeEngine(), webCryptoEngine(), aws4Engine()]

/** A scheme for AWS's own example bucket, at the instant of its examples. */
export function exampleAuth(options: Partial<SigV4AuthOptions> = {}): SigV4Auth {
  return createSigV4Auth({
    baseUrl: 'https://examplebucket.s3.amazonaws.com',
    region: 'us-east-1',
    credentials: apiKey,
    clock: () => signedAt,
    ...options,
  })
}

/** What the kernel hands to a scheme for a request without body. */
export function outgoingRequest(
  url: string,
  headers: Record<string, string> = {},
  method = 'GET',
): OutgoingRequest {
  return {
    method,
    url: new URL(url),
    headers: new Headers(headers),
    body: undefined,
    attempt: 1,
    reason: 'initial',
  }
}
