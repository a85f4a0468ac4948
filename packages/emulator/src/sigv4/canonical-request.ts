import { headerValues, type RawRequestHead, splitTarget } from '../http/request.ts'
import { isS3Service } from './signature.ts'

/** Writes the canonical request, which the signature covers, as a byte string. */
export function canonicalRequest(
  request: RawRequestHead,
  signed: {
    readonly form: ClaimForm
    readonly signedHeaders: readonly string[]
    readonly payloadHash: string
    readonly repeatedParameters: RepeatedParameters
    readonly plusInPath: PlusInPath
    readonly service: string
  },
): string {
  const { path, query } = splitTarget(request.target)
  // A signature cannot cover itself.
  const parameters = queryParameters(query).filter(
    ([name]) => signed.form === 'header' || name !== 'X-Amz-Signature',
  )
  return [
    request.method,
    isS3Service(signed.service) ? canonicalPath(path, signed.plusInPath) : normalizedPath(path),
    canonicalQuery(parameters, signed.repeatedParameters),
    canonicalHeaders(request, signed.signedHeaders),
    signed.signedHeaders.join(';'),
    signed.payloadHash,
  ].join('\n')
}

/** The place of a signature: the `Authorization` header, or the query of a presigned URL. */
export type ClaimForm = 'header' | 'query'

/**
 * The order of the values of a repeated query parameter in the signature: `by-value`, as AWS
 * specifies, or `wire-order`, the order they arrived in, as MinIO and Ceph do.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 */
export type RepeatedParameters = 'by-value' | 'wire-order'

/**
 * The meaning of a `+` in a path: `plus`, itself, as AWS's documents say, or `space`, as S3 is
 * reported to read it.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 */
export type PlusInPath = 'plus' | 'space'

/**
 * Writes the canonical URI of the S3 documents: the path's bytes encoded once, `/` kept, nothing
 * normalised.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 */
function canonicalPath(path: string, plusInPath: PlusInPath): string {
  if (path === '') return '/'
  return encodePath(decodePath(path, plusInPath))
}

/** Decodes a path once, from byte string to byte string. */
export function decodePath(path: string, plusInPath: PlusInPath): string {
  return percentDecode(plusInPath === 'space' ? path.replaceAll('+', ' ') : path)
}

/** Encodes a path once, and leaves every `/` as it is. */
export function encodePath(bytes: string): string {
  return bytes.split('/').map(uriEncode).join('/')
}

/** Tells if a `%` begins no escape. */
export function hasMalformedEscape(target: string): boolean {
  return /%(?![0-9A-Fa-f]{2})/.test(target)
}

// Every other service removes dot segments and empty ones, and encodes once more what was sent.
// See https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
function normalizedPath(path: string): string {
  const kept: string[] = []
  for (const segment of path.split('/')) {
    if (segment === '..') kept.pop()
    else if (segment !== '' && segment !== '.') kept.push(uriEncode(segment))
  }
  const end = kept.length > 0 && /\/\.{0,2}$/.test(path) ? '/' : ''
  return `/${kept.join('/')}${end}`
}

// Every pair as `name=value`, encoded, ordered by encoded name.
// AWS's documents order the values of one name by value; MinIO and Ceph leave them as they came.
function canonicalQuery(
  parameters: readonly (readonly [name: string, value: string])[],
  repeated: RepeatedParameters,
): string {
  return parameters
    .map(([name, value]) => [uriEncode(name), uriEncode(value)] as const)
    .toSorted((left, right) => {
      const byName = compareBytes(left[0], right[0])
      return byName !== 0 || repeated === 'wire-order' ? byName : compareBytes(left[1], right[1])
    })
    .map(([name, value]) => `${name}=${value}`)
    .join('&')
}

function compareBytes(left: string, right: string): number {
  if (left === right) return 0
  return left < right ? -1 : 1
}

/** Returns name and value of every parameter as byte strings, in the order of the wire. */
export function queryParameters(query: string): [name: string, value: string][] {
  return query
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const mark = pair.indexOf('=')
      if (mark === -1) return [decodeParameter(pair), '']
      return [decodeParameter(pair.slice(0, mark)), decodeParameter(pair.slice(mark + 1))]
    })
}

// A bare `+` is a space, because servers read queries as forms; a literal plus travels as %2B.
// Signers that mean a plus and send `+` are thus rejected here.
function decodeParameter(text: string): string {
  return percentDecode(text.replaceAll('+', ' '))
}

// One line for each signed header, repeated ones joined by a comma in the order of the wire.
function canonicalHeaders(request: RawRequestHead, signedHeaders: readonly string[]): string {
  return signedHeaders.map((name) => `${name}:${canonicalHeaderValue(request, name)}\n`).join('')
}

/** Returns one header's value as it is signed; empty if the request has no such header. */
export function canonicalHeaderValue(request: RawRequestHead, name: string): string {
  return headerValues(request, name).map(collapseBlanks).join(',')
}

// Blanks are folded inside quotes too: "convert sequential spaces to a single space". The document
// says nothing of tabs; botocore, MinIO and aws4 fold them as they do spaces.
function collapseBlanks(value: string): string {
  return trimBlanks(value).replace(/[ \t]+/g, ' ')
}

/** Trims the blanks at both ends, in time that grows with the length of the text whatever it holds. */
export function trimBlanks(text: string): string {
  // `String#trim` would also take NBSP, which is a byte of its own in Latin-1.
  let end = text.length
  while (end > 0 && /[ \t]/.test(text.charAt(end - 1))) end -= 1
  return text.slice(0, end).replace(/^[ \t]+/, '')
}

/** Decodes `%XX` once, from byte string to byte string. A `%` that starts no escape stays a `%`. */
export function percentDecode(text: string): string {
  return text.replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
}

const unreserved = /[A-Za-z0-9\-._~]/

const encodedBytes: readonly string[] = Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte)
  if (unreserved.test(character)) return character
  return `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
})

/**
 * Encodes a byte string as `UriEncode` of the S3 documents does: everything but unreserved
 * characters becomes `%XX` in upper case.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 */
export function uriEncode(bytes: string): string {
  let encoded = ''
  for (let index = 0; index < bytes.length; index += 1) {
    encoded += encodedBytes[bytes.charCodeAt(index)] ?? ''
  }
  return encoded
}

/** Reads a byte string as UTF-8, for people and for XML. */
export function decodeUtf8(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8')
}
