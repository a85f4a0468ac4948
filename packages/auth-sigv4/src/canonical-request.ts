import type { CanonicalHeaders } from './canonical-headers.ts'
import type { CanonicalPath } from './canonical-path.ts'
import type { CanonicalQuery } from './canonical-query.ts'

/**
 * The request as both sides write it down to hash it.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html#canonical-request
 */
export function canonicalRequest(
  method: string,
  path: CanonicalPath,
  query: CanonicalQuery,
  { lines, signedHeaders }: CanonicalHeaders,
  payloadHash: string,
): string {
  return `${method}\n${path.canonical}\n${query.canonical}\n${lines}\n${signedHeaders}\n${payloadHash}`
}
