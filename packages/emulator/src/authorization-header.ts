import { parseAmzDate } from './amz-date.ts'
import { canonicalHeaderValue } from './canonical-headers.ts'
import { headerValues, type RawRequest } from './raw-request.ts'
import type { SignatureClaim } from './signature-claim.ts'
import { signingAlgorithm } from './string-to-sign.ts'
import { refuse, type Refused } from './verification.ts'

const headerName = /^[!#$%&'*+.^_`|~0-9a-z-]+$/
const signatureForm = /^[0-9a-f]{64}$/
const scopeDateForm = /^\d{8}$/

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
      `expected "${signingAlgorithm} Credential=…, SignedHeaders=…, Signature=…", each once`,
    )
  }
  const [accessKeyId, date, region, service, terminator, ...rest] = fields.credential.split('/')
  if (!accessKeyId || !date || !region || !service || !terminator || rest.length > 0) {
    return malformed('the Credential must be <access key>/<date>/<region>/<service>/aws4_request')
  }
  if (!scopeDateForm.test(date)) return malformed(`the Credential's date "${date}" is not YYYYMMDD`)
  if (terminator !== 'aws4_request') return malformed('the Credential must end in aws4_request')
  const signedHeaders = fields.signedHeaders.split(';')
  if (!signedHeaders.every((name) => headerName.test(name))) {
    return malformed('the SignedHeaders must be names of headers in lower case, parted by ";"')
  }
  if (signedHeaders.some((name, index) => index > 0 && name <= (signedHeaders[index - 1] ?? ''))) {
    return malformed('the SignedHeaders must be sorted and name each header once')
  }
  if (!signatureForm.test(fields.signature)) {
    return malformed('the Signature must be 64 hexadecimal digits in lower case')
  }
  const amzDate = canonicalHeaderValue(request, 'x-amz-date')
  const signedAt = parseAmzDate(amzDate)
  if (signedAt === undefined) {
    return refuse('AccessDenied', 'AWS authentication requires a valid x-amz-date header')
  }
  return {
    ok: true,
    accessKeyId,
    scope: { date, region, service },
    amzDate,
    signedAt,
    signedHeaders,
    signature: fields.signature,
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
  return refuse('AuthorizationHeaderMalformed', `The authorization header is malformed; ${reason}.`)
}
