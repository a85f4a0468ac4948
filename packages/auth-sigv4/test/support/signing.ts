import {
  createSigV4Auth,
  type SigningEngine,
  type SigV4Auth,
  type SigV4AuthOptions,
} from '@svc/auth-sigv4'
import { aws4Engine } from '@svc/auth-sigv4/aws4'
import { nativeEngine } from '@svc/auth-sigv4/native'
import { nobleEngine } from '@svc/auth-sigv4/noble'
import { webCryptoEngine } from '@svc/auth-sigv4/webcrypto'
import type { OutgoingRequest } from '@svc/types'
import { apiKey, signedAt } from '../fixtures/s3-examples.ts'

/** All engines there are. */
export const engines: readonly SigningEngine[] = [
  nativeEngine(),
  webCryptoEngine(),
  aws4Engine(),
  nobleEngine(),
]

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

/** Returns a request without body as the kernel hands it to a scheme. */
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
