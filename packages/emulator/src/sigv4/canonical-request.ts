import { canonicalHeaders } from './canonical-headers.ts'
import { canonicalPath } from './canonical-path.ts'
import { canonicalQuery, queryParameters, type RepeatedParameters } from './canonical-query.ts'
import { splitTarget, type RawRequest } from '../http/request.ts'
import type { ClaimForm } from './signature-claim.ts'

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
