import { parseAmzDate } from './amz-date.ts'
import { canonicalHeaderValue } from './canonical-headers.ts'
import { headerValues, type RawRequest } from '../http/request.ts'
import {
  isSignature,
  readCredential,
  readSignedHeaders,
  type SignatureClaim,
} from './signature-claim.ts'
import { signingAlgorithm } from './string-to-sign.ts'
import { refuse, type Refused } from './result.ts'

/**
 * The claim of a request that is signed in its `Authorization` header.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-auth-using-authorization-header.html
 */
export function claimFromHeader(request: RawRequest): SignatureClaim | Refused {
  // Two headers join to something that parses as none, here and for the date and the hash below.
  const fields = parseFields(headerValues(request, 'authorization').join(','))
  if (fields === undefined) {
    return malformed(
      `expected "${signingAlgorithm} Credential=…, SignedHeaders=…, Signature=…", each once.`,
    )
  }
  const credential = readCredential('header', fields.credential)
  if (!credential.ok) return credential
  const signedHeaders = readSignedHeaders(fields.signedHeaders)
  if (!signedHeaders.ok) return malformed(signedHeaders.reason)
  if (!isSignature(fields.signature)) {
    return malformed('the Signature must be 64 hexadecimal digits in lower case.')
  }
  const amzDate = canonicalHeaderValue(request, 'x-amz-date')
  const signedAt = parseAmzDate(amzDate)
  if (signedAt === undefined) {
    return refuse('AccessDenied', 'AWS authentication requires a valid x-amz-date header')
  }
  return {
    ok: true,
    form: 'header',
    accessKeyId: credential.accessKeyId,
    scope: credential.scope,
    amzDate,
    signedAt,
    signedHeaders: signedHeaders.names,
    signature: fields.signature,
    securityToken: canonicalHeaderValue(request, 'x-amz-security-token'),
    payloadHash: canonicalHeaderValue(request, 'x-amz-content-sha256'),
  }
}

function parseFields(
  value: string,
): { credential: string; signedHeaders: string; signature: string } | undefined {
  const mark = value.indexOf(' ')
  if (mark === -1 || value.slice(0, mark) !== signingAlgorithm) return undefined
  const fields = new Map<string, string>()
  for (const piece of value.slice(mark).split(',')) {
    const field = /^ *(Credential|SignedHeaders|Signature)=([^ ]+) *$/.exec(piece)
    if (field?.[1] === undefined || field[2] === undefined || fields.has(field[1])) return undefined
    fields.set(field[1], field[2])
  }
  const credential = fields.get('Credential')
  const signedHeaders = fields.get('SignedHeaders')
  const signature = fields.get('Signature')
  if (!credential || !signedHeaders || !signature) return undefined
  return { credential, signedHeaders, signature }
}

function malformed(reason: string): Refused {
  return refuse('AuthorizationHeaderMalformed', `The authorization header is malformed; ${reason}`)
}
