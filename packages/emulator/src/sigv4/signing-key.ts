import { hmacSha256 } from './signature.ts'
import type { CredentialScope } from './credential-scope.ts'

/**
 * The signing key of a secret for one day, region and service.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 */
export function deriveSigningKey(secretAccessKey: string, scope: CredentialScope): Uint8Array {
  // A secret is text and is hashed as UTF-8, unlike everything that comes from the wire.
  const dateKey = hmacSha256(Buffer.from(`AWS4${secretAccessKey}`, 'utf8'), scope.date)
  const regionKey = hmacSha256(dateKey, scope.region)
  const serviceKey = hmacSha256(regionKey, scope.service)
  return hmacSha256(serviceKey, 'aws4_request')
}
