import { headerValues, type RawRequest, splitTarget } from '../http/request.ts'
import { canonicalHeaderValue, queryParameters } from './canonical-request.ts'
import { refuse, type Refused } from './result.ts'
import { type CredentialScope, parseAmzDate, signingAlgorithm } from './signature.ts'

/**
 * What a request says about its own signature, well formed and not yet believed. The header form
 * and the query form both come down to this.
 */
export interface SignatureClaim {
  readonly ok: true
  readonly form: ClaimForm
  readonly accessKeyId: string
  readonly scope: CredentialScope
  /** The instant of the signature, as it stands on the wire. */
  readonly amzDate: string
  readonly signedAt: number
  /** How long a presigned URL is good for. */
  readonly expiresSeconds?: number
  readonly signedHeaders: readonly string[]
  readonly signature: string
  /** Empty where there is none. */
  readonly securityToken: string
  /** The last line of the canonical request. */
  readonly payloadHash: string
}

/** Where a signature stands: in the `Authorization` header, or in the query of a presigned URL. */
export type ClaimForm = 'header' | 'query'

/** The refusal of a credential, in the words that S3 has for each form. */
export function refuseCredential(
  form: ClaimForm,
  reason: string,
  details: Refused['details'] = [],
): Refused {
  return form === 'header'
    ? refuse(
        'AuthorizationHeaderMalformed',
        `The authorization header is malformed; ${reason}`,
        details,
      )
    : refuse(
        'AuthorizationQueryParametersError',
        `Error parsing the X-Amz-Credential parameter; ${reason}`,
        details,
      )
}

/** The claimed credential and scope, in the form `<access key>/<date>/<region>/<service>/aws4_request`. */
export function readCredential(
  form: ClaimForm,
  credential: string,
): { readonly ok: true; readonly accessKeyId: string; readonly scope: CredentialScope } | Refused {
  const [accessKeyId, date, region, service, terminator, ...rest] = credential.split('/')
  if (!accessKeyId || !date || !region || !service || !terminator || rest.length > 0) {
    return refuseCredential(
      form,
      'the Credential is mal-formed; expecting "<access key>/YYYYMMDD/REGION/SERVICE/aws4_request".',
    )
  }
  if (!/^\d{8}$/.test(date)) {
    return refuseCredential(
      form,
      `incorrect date format "${date}". This date in the credential must be in the format "yyyyMMdd".`,
    )
  }
  if (terminator !== 'aws4_request') {
    return refuseCredential(
      form,
      `incorrect terminal "${terminator}". This endpoint uses "aws4_request".`,
    )
  }
  return { ok: true, accessKeyId, scope: { date, region, service } }
}

/** The names of the signed headers, or why they are none. */
export function readSignedHeaders(
  text: string,
):
  | { readonly ok: true; readonly names: readonly string[] }
  | { readonly ok: false; readonly reason: string } {
  const names = text.split(';')
  if (!names.every((name) => /^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name))) {
    return {
      ok: false,
      reason: 'the SignedHeaders must be header names in lower case, separated by ";".',
    }
  }
  if (names.some((name, index) => index > 0 && name <= (names[index - 1] ?? ''))) {
    return { ok: false, reason: 'the SignedHeaders must be sorted and name each header once.' }
  }
  return { ok: true, names }
}

/** Whether this is written as a signature is: 64 hexadecimal digits in lower case. */
export function isSignature(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text)
}

/**
 * The claim of a request that is signed in its `Authorization` header.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-auth-using-authorization-header.html
 */
export function claimFromHeader(request: RawRequest): SignatureClaim | Refused {
  // Two headers join to something that parses as none, here and for the date and the hash below.
  const fields = parseFields(headerValues(request, 'authorization').join(','))
  if (fields === undefined) {
    return malformedHeader(
      `expected "${signingAlgorithm} Credential=…, SignedHeaders=…, Signature=…", each once.`,
    )
  }
  const credential = readCredential('header', fields.credential)
  if (!credential.ok) return credential
  const signedHeaders = readSignedHeaders(fields.signedHeaders)
  if (!signedHeaders.ok) return malformedHeader(signedHeaders.reason)
  if (!isSignature(fields.signature)) {
    return malformedHeader('the Signature must be 64 hexadecimal digits in lower case.')
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

function malformedHeader(reason: string): Refused {
  return refuse('AuthorizationHeaderMalformed', `The authorization header is malformed; ${reason}`)
}

const maxExpiresSeconds = 7 * 24 * 60 * 60

const requiredNames = [
  'X-Amz-Algorithm',
  'X-Amz-Credential',
  'X-Amz-Date',
  'X-Amz-Expires',
  'X-Amz-SignedHeaders',
  'X-Amz-Signature',
] as const
const knownNames: ReadonlySet<string> = new Set([
  ...requiredNames,
  'X-Amz-Security-Token',
  'X-Amz-Content-Sha256',
])

/** Whether a request brings a signature, or begins to, in its query. */
export function isPresigned(request: RawRequest): boolean {
  return queryParameters(splitTarget(request.target).query).some(
    ([name]) => name === 'X-Amz-Algorithm' || name === 'X-Amz-Signature',
  )
}

/**
 * The claim of a request that is signed in its query.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html
 */
export function claimFromQuery(request: RawRequest): SignatureClaim | Refused {
  const parameters = readParameters(request)
  if ('reason' in parameters) return malformedQuery(parameters.reason)
  const value = (name: (typeof requiredNames)[number]) => parameters.values.get(name) ?? ''

  if (requiredNames.some((name) => value(name) === '')) {
    return malformedQuery(
      'Query-string authentication version 4 requires the X-Amz-Algorithm, X-Amz-Credential, X-Amz-Signature, X-Amz-Date, X-Amz-SignedHeaders, and X-Amz-Expires parameters.',
    )
  }
  if (value('X-Amz-Algorithm') !== signingAlgorithm) {
    return malformedQuery(`X-Amz-Algorithm only supports "${signingAlgorithm}"`)
  }
  const credential = readCredential('query', value('X-Amz-Credential'))
  if (!credential.ok) return credential
  const signedAt = parseAmzDate(value('X-Amz-Date'))
  if (signedAt === undefined) {
    return malformedQuery("X-Amz-Date must be in the ISO8601 Long Format \"yyyyMMdd'T'HHmmss'Z'\"")
  }
  const expires = value('X-Amz-Expires')
  const complaint = complainOfExpiry(expires)
  if (complaint !== undefined) return malformedQuery(complaint)
  const signedHeaders = readSignedHeaders(value('X-Amz-SignedHeaders'))
  if (!signedHeaders.ok) return malformedQuery(signedHeaders.reason)
  if (!isSignature(value('X-Amz-Signature'))) {
    return malformedQuery('X-Amz-Signature must be 64 hexadecimal digits in lower case')
  }
  const hash = joined(request, 'x-amz-content-sha256', parameters.values)
  return {
    ok: true,
    form: 'query',
    accessKeyId: credential.accessKeyId,
    scope: credential.scope,
    amzDate: value('X-Amz-Date'),
    signedAt,
    expiresSeconds: Number(expires),
    signedHeaders: signedHeaders.names,
    signature: value('X-Amz-Signature'),
    securityToken: joined(request, 'x-amz-security-token', parameters.values),
    payloadHash: hash === '' ? 'UNSIGNED-PAYLOAD' : hash,
  }
}

function readParameters(
  request: RawRequest,
): { values: ReadonlyMap<string, string> } | { reason: string } {
  const values = new Map<string, string>()
  for (const [name, value] of queryParameters(splitTarget(request.target).query)) {
    if (!knownNames.has(name)) continue
    if (values.has(name)) return { reason: `${name} must be given once` }
    values.set(name, value)
  }
  return { values }
}

// Header and parameter may both say it. Where they differ, they join to something that is neither.
function joined(
  request: RawRequest,
  header: 'x-amz-content-sha256' | 'x-amz-security-token',
  parameters: ReadonlyMap<string, string>,
): string {
  const parameter = parameters.get(
    header === 'x-amz-security-token' ? 'X-Amz-Security-Token' : 'X-Amz-Content-Sha256',
  )
  const inHeader =
    headerValues(request, header).length > 0 ? canonicalHeaderValue(request, header) : undefined
  return [...new Set([parameter, inHeader].filter((value) => value !== undefined))].join(',')
}

function complainOfExpiry(expires: string): string | undefined {
  if (!/^-?\d+$/.test(expires)) return 'X-Amz-Expires should be a number'
  if (expires.startsWith('-')) return 'X-Amz-Expires must be non-negative'
  if (Number(expires) > maxExpiresSeconds) {
    return 'X-Amz-Expires must be less than a week (in seconds); that is, the given X-Amz-Expires must be less than 604800 seconds'
  }
  return Number(expires) === 0 ? 'X-Amz-Expires must be at least 1 second' : undefined
}

function malformedQuery(message: string): Refused {
  return refuse('AuthorizationQueryParametersError', message)
}
