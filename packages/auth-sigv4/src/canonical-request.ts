import { assertNoDotSegment, hasDotSegment } from '@svc/auth-hooks/scheme'
import { type Canonical, compareTexts, sort, uriEncode } from './canonical-query.ts'

/**
 * Writes a request in the form that both sides hash.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html#canonical-request
 */
export function canonicalRequest(
  method: string,
  path: Canonical,
  query: Canonical,
  { lines, signedHeaders }: CanonicalHeaders,
  payloadHash: string,
): string {
  return `${method}\n${path.canonical}\n${query.canonical}\n${lines}\n${signedHeaders}\n${payloadHash}`
}

/**
 * The form in which the path of a URL is signed and sent.
 *
 * | value | meaning |
 * |---|---|
 * | `s3` | encoded once, nothing normalized: `%2F` is sent and signed as `/` |
 * | `double` | sent with its own escapes and slashes; signed encoded twice and with repeated slashes as one, as AWS specifies for all but S3 |
 * | `verbatim` | signed and sent as it is in the URL |
 *
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export type PathEncoding = 's3' | 'double' | 'verbatim'

/**
 * Writes a path in one form, so that servers that encode it again and servers that take it as it came
 * compute the same.
 *
 * @throws AuthError `ERR_AUTH_URL` where a segment decodes to a dot segment, which the URL parsers on
 * the way would take out.
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html#canonical-request
 */
export function canonicalPath(
  url: { readonly origin: string; readonly pathname: string },
  encoding: PathEncoding,
): Canonical {
  const { pathname } = url
  if (encoding === 'verbatim') return { sent: pathname, canonical: pathname }
  // Asked first: in a page, each part of a URL that the assertion reads costs as much as this whole test.
  if (hasDotSegment(pathname)) assertNoDotSegment(url, '[@svc/auth-sigv4]')
  if (encoding === 's3') {
    const sent = uriEncode(pathname, '/')
    return { sent, canonical: sent }
  }
  // Elsewhere `%2F` and a slash name two resources, so that no escape is read or written anew.
  const sent = pathname.replace(/%(?![\da-f]{2})|[^\w\-.~/%]/gi, (found) => uriEncode(found, ''))
  return { sent, canonical: sent.replace(/\/{2,}/g, '/').replaceAll('%', '%25') }
}

/** The payload hash of a request without a body: SHA-256 of nothing. */
export const emptyHash = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

/** The payload hash of a request whose body is not signed. */
export const unsignedPayload = 'UNSIGNED-PAYLOAD'

/**
 * Tells if a service signs as S3 does: the path encoded once, the payload hash in a header, and none in a presigned
 * URL. The name of the service is in the scope.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 */
export function isS3Service(service: string): boolean {
  return /^s3(?:express|-object-lambda|-outposts)?$/.test(service)
}

/** Headers as they stand in the canonical request, and the list of their names. */
export interface CanonicalHeaders {
  /** One line for each header, each ended by a line break. */
  readonly lines: string
  /** The names, in lower case, joined by `;`. */
  readonly signedHeaders: string
}

/**
 * Returns the test for headers that are signed: an allow-list, since proxies, tracing and runtimes add
 * and rewrite all the others.
 */
export function signedHeaderFilter(signHeaders: readonly string[]): (name: string) => boolean {
  const more = new Set(signHeaders.map((name) => name.toLowerCase()))
  return (name) =>
    /^(?:content-type|content-md5|range|if-.+|x-amz-.+)$/.test(name) || more.has(name)
}

/**
 * Sorts headers by name and folds blanks within their values.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html#canonical-request
 */
export function canonicalHeaders(
  headers: (readonly [name: string, value: string])[],
): CanonicalHeaders {
  let lines = ''
  let signedHeaders = ''
  for (const [name, value] of sort(headers, ([a], [b]) => compareTexts(a, b))) {
    lines += `${name}:${/[\t ]{2}|\t/.test(value) ? value.replace(/[\t ]+/g, ' ') : value}\n`
    signedHeaders += signedHeaders === '' ? name : `;${name}`
  }
  return { lines, signedHeaders }
}
