import { canonicalHeaders } from './canonical-headers.ts'
import { canonicalPath } from './canonical-path.ts'
import { canonicalQuery, type RepeatedParameters } from './canonical-query.ts'
import { splitTarget, type RawRequest } from './raw-request.ts'

/** What the signature of a request covers, as a byte string. */
export function canonicalRequest(
  request: RawRequest,
  signed: {
    readonly signedHeaders: readonly string[]
    readonly payloadHash: string
    readonly repeatedParameters: RepeatedParameters
  },
): string {
  const { path, query } = splitTarget(request.target)
  return [
    request.method,
    canonicalPath(path),
    canonicalQuery(query, signed.repeatedParameters),
    canonicalHeaders(request, signed.signedHeaders),
    signed.signedHeaders.join(';'),
    signed.payloadHash,
  ].join('\n')
}
