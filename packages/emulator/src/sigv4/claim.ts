import { headerValues, type RawRequestHead, splitTarget } from '../http/request.ts'
import { canonicalHeaderValue, type ClaimForm, queryParameters } from './canonical-request.ts'
import { reject, type Rejected } from './result.ts'
import {
  type CredentialScope,
  isS3Service,
  parseAmzDate,
  sha256Hex,
  signingAlgorithm,
} from './signature.ts'

/**
 * A request's own account of its signature, well formed and not yet believed. The header form and
 * the query form both come down to this.
 */
export interface SignatureClaim {
  readonly ok: true
  readonly form: ClaimForm
  readonly accessKeyId: string
  readonly scope: CredentialScope
  /** The instant of the signature, as it stands on the wire. */
  readonly amzDate: string
  readonly signedAt: number
  /** The lifetime of a presigned URL. */
  readonly expiresSeconds?: number
  readonly signedHeaders: readonly string[]
  readonly signature: string
  /** Empty if there is none. */
  readonly securityToken: string
  /** The last line of the canonical request; empty if the request must name it and does not. */
  readonly payloadHash: string
}

/**
 * Reads the claim of a request to a service from its `Authorization` header or its query.
 *
 * @param body - The whole body, which services other than `s3` take the payload hash from.
 */
export function readClaim(
  request: RawRequestHead,
  service: string,
  body: Uint8Array | undefined,
): SignatureClaim | Rejected {
  const claim = readForm(request)
  if (!claim.ok || claim.payloadHash !== '') return claim
  // Only S3 and its kin have it named by the request, and take a presigned one that does not for unsigned.
  if (!isS3Service(service) && body) return { ...claim, payloadHash: sha256Hex(body) }
  return claim.form === 'query' ? { ...claim, payloadHash: 'UNSIGNED-PAYLOAD' } : claim
}

function readForm(request: RawRequestHead): SignatureClaim | Rejected {
  const hasHeader = headerValues(request, 'authorization').length > 0
  const hasQuery = isPresigned(request)
  if (hasHeader && hasQuery) {
    return reject(
      'InvalidArgument',
      'Only one auth mechanism allowed; only the X-Amz-Algorithm query parameter, Signature query string parameter or the Authorization header should be specified',
      [['ArgumentName', 'Authorization']],
    )
  }
  if (hasHeader) return claimFromHeader(request)
  if (hasQuery) return claimFromQuery(request)
  return reject('AccessDenied', 'Access Denied: the request is not signed.')
}

// See https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-auth-using-authorization-header.html
function claimFromHeader(request: RawRequestHead): SignatureClaim | Rejected {
  // Two headers join to something that parses as none, here and for the date and the hash below.
  const fields = parseAuthorization(headerValues(request, 'authorization').join(','))
  if (fields === undefined) {
    return rejectHeader(
      `expected "${signingAlgorithm} Credential=…, SignedHeaders=…, Signature=…", each once.`,
    )
  }
  const credential = parseCredential('header', fields.credential)
  if (!credential.ok) return credential
  const signedHeaders = parseSignedHeaders(fields.signedHeaders)
  if (!signedHeaders.ok) return rejectHeader(signedHeaders.reason)
  if (!isSignature(fields.signature)) {
    return rejectHeader('the Signature must be 64 hexadecimal digits in lower case.')
  }
  const amzDate = canonicalHeaderValue(request, 'x-amz-date')
  const signedAt = parseAmzDate(amzDate)
  if (signedAt === undefined) {
    return reject('AccessDenied', 'AWS authentication requires a valid x-amz-date header')
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

function parseAuthorization(
  value: string,
): { credential: string; signedHeaders: string; signature: string } | undefined {
  const mark = value.indexOf(' ')
  if (mark === -1 || value.slice(0, mark) !== signingAlgorithm) return undefined
  const fields = new Map<string, string>()
  for (const part of value.slice(mark).split(',')) {
    const field = /^ *(Credential|SignedHeaders|Signature)=([^ ]+) *$/.exec(part)
    if (field?.[1] === undefined || field[2] === undefined || fields.has(field[1])) return undefined
    fields.set(field[1], field[2])
  }
  const credential = fields.get('Credential')
  const signedHeaders = fields.get('SignedHeaders')
  const signature = fields.get('Signature')
  if (!credential || !signedHeaders || !signature) return undefined
  return { credential, signedHeaders, signature }
}

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

// A request that brings only the beginnings of a signature is told which parameters it lacks.
function isPresigned(request: RawRequestHead): boolean {
  return queryParameters(splitTarget(request.target).query).some(
    ([name]) => name === 'X-Amz-Algorithm' || name === 'X-Amz-Signature',
  )
}

// See https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html
function claimFromQuery(request: RawRequestHead): SignatureClaim | Rejected {
  const parameters = readParameters(request)
  if ('reason' in parameters) return rejectQuery(parameters.reason)
  const value = (name: (typeof requiredNames)[number]) => parameters.values.get(name) ?? ''

  if (requiredNames.some((name) => value(name) === '')) {
    return rejectQuery(
      'Query-string authentication version 4 requires the X-Amz-Algorithm, X-Amz-Credential, X-Amz-Signature, X-Amz-Date, X-Amz-SignedHeaders, and X-Amz-Expires parameters.',
    )
  }
  if (value('X-Amz-Algorithm') !== signingAlgorithm) {
    return rejectQuery(`X-Amz-Algorithm only supports "${signingAlgorithm}"`)
  }
  const credential = parseCredential('query', value('X-Amz-Credential'))
  if (!credential.ok) return credential
  const signedAt = parseAmzDate(value('X-Amz-Date'))
  if (signedAt === undefined) {
    return rejectQuery("X-Amz-Date must be in the ISO8601 Long Format \"yyyyMMdd'T'HHmmss'Z'\"")
  }
  const expires = value('X-Amz-Expires')
  const expiryProblem = findExpiryProblem(expires)
  if (expiryProblem !== undefined) return rejectQuery(expiryProblem)
  const signedHeaders = parseSignedHeaders(value('X-Amz-SignedHeaders'))
  if (!signedHeaders.ok) return rejectQuery(signedHeaders.reason)
  if (!isSignature(value('X-Amz-Signature'))) {
    return rejectQuery('X-Amz-Signature must be 64 hexadecimal digits in lower case')
  }
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
    securityToken: joinSources(request, 'x-amz-security-token', parameters.values),
    payloadHash: joinSources(request, 'x-amz-content-sha256', parameters.values),
  }
}

function readParameters(
  request: RawRequestHead,
): { values: ReadonlyMap<string, string> } | { reason: string } {
  const values = new Map<string, string>()
  for (const [name, value] of queryParameters(splitTarget(request.target).query)) {
    if (!knownNames.has(name)) continue
    if (values.has(name)) return { reason: `${name} must be given once` }
    values.set(name, value)
  }
  return { values }
}

const maxExpiresSeconds = 7 * 24 * 60 * 60

function findExpiryProblem(expires: string): string | undefined {
  if (!/^-?\d+$/.test(expires)) return 'X-Amz-Expires should be a number'
  if (expires.startsWith('-')) return 'X-Amz-Expires must be non-negative'
  if (Number(expires) > maxExpiresSeconds) {
    return 'X-Amz-Expires must be less than a week (in seconds); that is, the given X-Amz-Expires must be less than 604800 seconds'
  }
  return Number(expires) === 0 ? 'X-Amz-Expires must be at least 1 second' : undefined
}

// Header and parameter may both say it. If they differ, they join to something that is neither.
function joinSources(
  request: RawRequestHead,
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

// The form is `<access key>/<date>/<region>/<service>/aws4_request`.
function parseCredential(
  form: ClaimForm,
  credential: string,
): { readonly ok: true; readonly accessKeyId: string; readonly scope: CredentialScope } | Rejected {
  const [accessKeyId, date, region, service, terminator, ...rest] = credential.split('/')
  if (!accessKeyId || !date || !region || !service || !terminator || rest.length > 0) {
    return rejectCredential(
      form,
      'the Credential is mal-formed; expecting "<access key>/YYYYMMDD/REGION/SERVICE/aws4_request".',
    )
  }
  if (!/^\d{8}$/.test(date)) {
    return rejectCredential(
      form,
      `incorrect date format "${date}". This date in the credential must be in the format "yyyyMMdd".`,
    )
  }
  if (terminator !== 'aws4_request') {
    return rejectCredential(
      form,
      `incorrect terminal "${terminator}". This endpoint uses "aws4_request".`,
    )
  }
  return { ok: true, accessKeyId, scope: { date, region, service } }
}

function parseSignedHeaders(
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

function isSignature(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text)
}

/** Makes the rejection of a credential, in the words that S3 has for each form. */
export function rejectCredential(
  form: ClaimForm,
  reason: string,
  details: Rejected['details'] = [],
): Rejected {
  return form === 'header'
    ? rejectHeader(reason, details)
    : rejectQuery(`Error parsing the X-Amz-Credential parameter; ${reason}`, details)
}

function rejectHeader(reason: string, details: Rejected['details'] = []): Rejected {
  return reject(
    'AuthorizationHeaderMalformed',
    `The authorization header is malformed; ${reason}`,
    details,
  )
}

function rejectQuery(message: string, details: Rejected['details'] = []): Rejected {
  return reject('AuthorizationQueryParametersError', message, details)
}
