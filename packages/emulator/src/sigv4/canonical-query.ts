import { percentDecode, uriEncode } from './percent-encoding.ts'

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
