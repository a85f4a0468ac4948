import { parseAmzDate } from './amz-date.ts'
import { canonicalHeaderValue } from './canonical-headers.ts'
import { queryParameters } from './canonical-query.ts'
import { headerValues, splitTarget, type RawRequest } from '../http/request.ts'
import {
  isSignature,
  readCredential,
  readSignedHeaders,
  type SignatureClaim,
} from './signature-claim.ts'
import { signingAlgorithm } from './string-to-sign.ts'
import { refuse, type Refused } from './result.ts'

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
  if ('reason' in parameters) return malformed(parameters.reason)
  const value = (name: (typeof requiredNames)[number]) => parameters.values.get(name) ?? ''

  if (requiredNames.some((name) => value(name) === '')) {
    return malformed(
      'Query-string authentication version 4 requires the X-Amz-Algorithm, X-Amz-Credential, X-Amz-Signature, X-Amz-Date, X-Amz-SignedHeaders, and X-Amz-Expires parameters.',
    )
  }
  if (value('X-Amz-Algorithm') !== signingAlgorithm) {
    return malformed(`X-Amz-Algorithm only supports "${signingAlgorithm}"`)
  }
  const credential = readCredential('query', value('X-Amz-Credential'))
  if (!credential.ok) return credential
  const signedAt = parseAmzDate(value('X-Amz-Date'))
  if (signedAt === undefined) {
    return malformed("X-Amz-Date must be in the ISO8601 Long Format \"yyyyMMdd'T'HHmmss'Z'\"")
  }
  const expires = value('X-Amz-Expires')
  const complaint = complainOfExpiry(expires)
  if (complaint !== undefined) return malformed(complaint)
  const signedHeaders = readSignedHeaders(value('X-Amz-SignedHeaders'))
  if (!signedHeaders.ok) return malformed(signedHeaders.reason)
  if (!isSignature(value('X-Amz-Signature'))) {
    return malformed('X-Amz-Signature must be 64 hexadecimal digits in lower case')
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

function malformed(message: string): Refused {
  return refuse('AuthorizationQueryParametersError', message)
}
