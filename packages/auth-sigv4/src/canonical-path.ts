import { AuthError } from '@svc/auth-hooks'
import { hasDotSegment } from '@svc/auth-hooks/scheme'
import { encodeStrictly } from './percent-encoding.ts'

/**
 * How the path of a URL is signed and sent.
 *
 * | value | meaning |
 * |---|---|
 * | `s3` | encoded once, nothing normalized: `%2F` is sent and signed as `/` |
 * | `double` | repeated slashes collapsed, encoded twice in the signature, as AWS specifies for all but S3 |
 * | `verbatim` | signed and sent as it is in the URL |
 *
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export type PathEncoding = 's3' | 'double' | 'verbatim'

/** A path as it is sent, and as it stands in the canonical request. */
export interface CanonicalPath {
  readonly wire: string
  readonly canonical: string
}

/**
 * The path in one form, so that servers that encode it again and servers that take it as it came
 * compute the same.
 *
 * @throws AuthError `ERR_AUTH_URL` where a segment decodes to a dot segment, which the URL parsers on
 * the way would take out.
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html#canonical-request
 */
export function canonicalPath(pathname: string, encoding: PathEncoding): CanonicalPath {
  if (encoding === 'verbatim') return { wire: pathname, canonical: pathname }
  const wire = encodeStrictly(pathname, '/')
  if (hasDotSegment(wire)) {
    throw new AuthError(
      'ERR_AUTH_URL',
      `[@svc/auth-sigv4] the path ${pathname} has a segment that decodes to a dot segment`,
    )
  }
  if (encoding === 's3') return { wire, canonical: wire }
  const normalized = wire.replace(/\/{2,}/g, '/')
  return { wire: normalized, canonical: normalized.replaceAll('%', '%25') }
}
