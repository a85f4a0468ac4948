import { headerValues, type RawRequest, splitTarget } from '../http/request.ts'
import type { ClaimForm } from './claim.ts'

/** What the signature of a request covers, as a byte string. */
export function canonicalRequest(
  request: RawRequest,
  signed: {
    readonly form: ClaimForm
    readonly signedHeaders: readonly string[]
    readonly payloadHash: string
    readonly repeatedParameters: RepeatedParameters
  },
): string {
  const { path, query } = splitTarget(request.target)
  // A signature cannot cover itself.
  const parameters = queryParameters(query).filter(
    ([name]) => signed.form === 'header' || name !== 'X-Amz-Signature',
  )
  return [
    request.method,
    canonicalPath(path),
    canonicalQuery(parameters, signed.repeatedParameters),
    canonicalHeaders(request, signed.signedHeaders),
    signed.signedHeaders.join(';'),
    signed.payloadHash,
  ].join('\n')
}

/**
 * The canonical URI of the S3 documents: the path's bytes encoded once, `/` kept, nothing
 * normalised. The same string stands for the key of an object, since equal bytes give equal strings.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 */
export function canonicalPath(path: string): string {
  if (path === '') return '/'
  return percentDecode(path).split('/').map(uriEncode).join('/')
}

/**
 * How the values of a repeated query parameter are ordered for signing: `by-value`, as AWS
 * specifies, or `wire-order`, the order they arrived in, as MinIO and Ceph do.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 */
export type RepeatedParameters = 'by-value' | 'wire-order'

/**
 * The canonical query string: every pair as `name=value`, encoded, ordered by encoded name.
 *
 * AWS's documents order the values of one name by value; MinIO and Ceph leave them as they came.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 */
export function canonicalQuery(
  parameters: readonly (readonly [name: string, value: string])[],
  repeated: RepeatedParameters,
): string {
  return parameters
    .map(([name, value]) => [uriEncode(name), uriEncode(value)] as const)
    .toSorted((left, right) => {
      const byName = compare(left[0], right[0])
      return byName !== 0 || repeated === 'wire-order' ? byName : compare(left[1], right[1])
    })
    .map(([name, value]) => `${name}=${value}`)
    .join('&')
}

/** Name and value of every parameter as byte strings, in the order of the wire. */
export function queryParameters(query: string): [name: string, value: string][] {
  return query
    .split('&')
    .filter((piece) => piece !== '')
    .map((piece) => {
      const mark = piece.indexOf('=')
      if (mark === -1) return [decode(piece), '']
      return [decode(piece.slice(0, mark)), decode(piece.slice(mark + 1))]
    })
}

// A bare `+` is a space, because servers read queries as forms; a literal plus travels as %2B.
// Signers that mean a plus and send `+` are thus refused here, as they are by S3.
function decode(text: string): string {
  return percentDecode(text.replaceAll('+', ' '))
}

function compare(left: string, right: string): number {
  if (left === right) return 0
  return left < right ? -1 : 1
}

/**
 * The canonical headers: one line for each signed header, repeated ones joined by a comma in the
 * order of the wire.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 */
export function canonicalHeaders(request: RawRequest, signedHeaders: readonly string[]): string {
  return signedHeaders.map((name) => `${name}:${canonicalHeaderValue(request, name)}\n`).join('')
}

/** One header's value as it is signed; empty where the request has no such header. */
export function canonicalHeaderValue(request: RawRequest, name: string): string {
  return headerValues(request, name).map(trimAll).join(',')
}

// Blanks are folded inside quotes too: "convert sequential spaces to a single space". The document
// says nothing of tabs; botocore, MinIO and aws4 fold them as they do spaces.
// `String#trim` would also take NBSP, which is a byte of its own in Latin-1.
function trimAll(value: string): string {
  return trimBlanks(value).replace(/[ \t]+/g, ' ')
}

const unreserved = /[A-Za-z0-9\-._~]/

const encodedBytes: readonly string[] = Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte)
  if (unreserved.test(character)) return character
  return `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
})

const escapeSequence = /%([0-9A-Fa-f]{2})/g

/** Decodes `%XX` once, from byte string to byte string. A `%` that starts no escape stays a `%`. */
export function percentDecode(text: string): string {
  return text.replace(escapeSequence, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
}

/**
 * `UriEncode` of the S3 documents over a byte string: everything but unreserved characters becomes
 * `%XX` in upper case.
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

/** A byte string read as UTF-8, for where people and XML read it. */
export function textOfBytes(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8')
}

/** A text without the blanks at its ends, in time that grows with its length whatever it holds. */
export function trimBlanks(text: string): string {
  let end = text.length
  while (end > 0 && /[ \t]/.test(text.charAt(end - 1))) end -= 1
  return text.slice(0, end).replace(/^[ \t]+/, '')
}
