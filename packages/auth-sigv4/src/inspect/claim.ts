import type { AuthScheme } from '@svc/types'
import { type Credential, readCredential } from '../diagnose/presigned-url.ts'
import { parseInstant } from '../diagnose/text.ts'
import { isS3Service } from '../canonical-request.ts'
import { amzDateOf } from '../clock.ts'
import { algorithm as known } from '../signer.ts'

/** The signature that a request bears, as the request itself tells it. */
export interface SignatureRead {
  /** The place of the signature: the `Authorization` header, or the query of a presigned URL. */
  readonly form: 'header' | 'query'
  /** The algorithm, such as `AWS4-HMAC-SHA256`. */
  readonly algorithm: string
  /** The access key that signed. */
  readonly accessKeyId: string
  /** The credential scope, such as `20130524/us-east-1/s3/aws4_request`. */
  readonly scope: string
  /** The region of the scope. */
  readonly region: string
  /** The service of the scope. */
  readonly service: string
  /** The date as it is signed, such as `20130524T000000Z`. */
  readonly amzDate: string
  /** The same date in epoch milliseconds; `undefined` where it is none. */
  readonly signedAt: number | undefined
  /** The seconds for which a presigned URL is valid; `undefined` for the header, or where it is no number. */
  readonly expiresInSeconds: number | undefined
  /** The names of the signed headers, as the request lists them. */
  readonly signedHeaders: readonly string[]
  /** The names among them that the request lacks. */
  readonly missingHeaders: readonly string[]
  /** The signature of the request. */
  readonly signature: string
  /** The payload hash, as the request tells it or its body gives it. */
  readonly payloadHash: string
  /** Faults that make every server reject the signature, in sentences. */
  readonly problems: readonly string[]
  /**
   * Signs the request anew in the same way: with the same headers, date and scope. It is for `explain` and `diagnose`,
   * and signs no other request.
   */
  readonly auth: AuthScheme
}

/** The account that a request gives of its signature, in either form. */
export interface Claim extends Omit<SignatureRead, 'auth' | 'missingHeaders' | 'payloadHash'> {
  /** The payload hash that the request tells; `undefined` where it tells none. */
  readonly payloadHash: string | undefined
}

/** Reads the claim of a request; `undefined` where neither its header nor its query has one. */
export function readClaim(headers: ReadonlyMap<string, string>, query: string): Claim | undefined {
  const authorization = headers.get('authorization')
  if (authorization !== undefined && /^AWS4-/i.test(authorization)) {
    return claimOfHeader(authorization, headers)
  }
  const parameters = new Map<string, string>()
  // The first of two counts, and the second is a fault.
  const repeated: string[] = []
  for (const [given, value] of new URLSearchParams(query)) {
    const name = given.toLowerCase()
    if (!name.startsWith('x-amz-')) continue
    if (parameters.has(name)) repeated.push(given)
    else parameters.set(name, value)
  }
  const isPresigned = parameters.has('x-amz-signature') || parameters.has('x-amz-algorithm')
  return isPresigned ? claimOfQuery(parameters, repeated, headers) : undefined
}

function claimOfHeader(authorization: string, headers: ReadonlyMap<string, string>): Claim {
  const mark = /[\s,]|$/.exec(authorization)?.index ?? authorization.length
  const fields = new Map<string, string>()
  const problems: string[] = []
  for (const piece of authorization.slice(mark).split(',')) {
    const equals = piece.indexOf('=')
    const name = piece.slice(0, Math.max(equals, 0)).trim().toLowerCase()
    if (fields.has(name)) problems.push(`The Authorization header has ${name} twice.`)
    else if (name !== '') fields.set(name, piece.slice(equals + 1).trim())
  }
  for (const name of ['Credential', 'SignedHeaders', 'Signature']) {
    const value = fields.get(name.toLowerCase())
    if (!value) problems.push(`The Authorization header has no ${name}=….`)
  }
  const date = headers.get('x-amz-date')
  const at = parseInstant(date ?? headers.get('date'))
  if (at === undefined) {
    problems.push('The request has no x-amz-date header with a date like 20130524T000000Z.')
  }
  return completed({
    form: 'header',
    algorithm: authorization.slice(0, mark),
    credential: fields.get('credential') ?? '',
    amzDate: date ?? (at === undefined ? '' : amzDateOf(at)),
    signedAt: at,
    expiresInSeconds: undefined,
    signedHeaders: fields.get('signedheaders') ?? '',
    signature: fields.get('signature') ?? '',
    payloadHash: headers.get('x-amz-content-sha256'),
    problems,
  })
}

/** The longest that a presigned URL can be valid. */
const longestSeconds = 7 * 24 * 60 * 60

function claimOfQuery(
  parameters: ReadonlyMap<string, string>,
  repeated: readonly string[],
  headers: ReadonlyMap<string, string>,
): Claim {
  const problems = repeated.map((name) => `The URL has ${name} twice.`)
  const read = (name: string): string => {
    const value = parameters.get(name.toLowerCase()) ?? ''
    if (value === '') problems.push(`The URL has no ${name}.`)
    return value
  }
  const algorithm = read('X-Amz-Algorithm')
  const credential = read('X-Amz-Credential')
  const amzDate = read('X-Amz-Date')
  const signedAt = parseInstant(amzDate)
  if (amzDate !== '' && signedAt === undefined) {
    problems.push('X-Amz-Date is not a date like 20130524T000000Z.')
  }
  // Only S3 wants it.
  const isS3 = isS3Service(readCredential(credential).service)
  const expires = isS3 ? read('X-Amz-Expires') : (parameters.get('x-amz-expires') ?? '')
  const seconds = /^\d{1,9}$/.test(expires) ? Number(expires) : undefined
  if (expires !== '' && (seconds === undefined || seconds < 1 || seconds > longestSeconds)) {
    problems.push('X-Amz-Expires is not a number of seconds from 1 to 604800, which is 7 days.')
  }
  return completed({
    form: 'query',
    algorithm,
    credential,
    amzDate,
    signedAt,
    expiresInSeconds: seconds,
    signedHeaders: read('X-Amz-SignedHeaders'),
    signature: read('X-Amz-Signature'),
    payloadHash: parameters.get('x-amz-content-sha256') ?? headers.get('x-amz-content-sha256'),
    problems,
  })
}

interface ClaimParts extends Omit<Claim, keyof Credential | 'signedHeaders' | 'problems'> {
  readonly credential: string
  readonly signedHeaders: string
  readonly problems: string[]
}

/** Takes the credential apart, and finds the faults that both forms can have. */
function completed({ credential, signedHeaders, problems, ...parts }: ClaimParts): Claim {
  const isAsymmetric = parts.algorithm === asymmetric
  const { accessKeyId, scope, region, service } = readCredential(credential, !isAsymmetric)
  const given = signedHeaders.split(';')
  const names = given.map((name) => name.trim().toLowerCase())
  const [date = '', ...rest] = scope.split('/')
  if (credential !== '' && (accessKeyId === '' || rest.at(-1) !== 'aws4_request')) {
    const place = isAsymmetric ? '' : '<region>/'
    problems.push(`The credential is not <access key>/YYYYMMDD/${place}<service>/aws4_request.`)
  } else if (credential !== '' && date !== parts.amzDate.slice(0, 8)) {
    problems.push(
      `The scope is of the day ${date}, but the request of ${parts.amzDate.slice(0, 8)}.`,
    )
  }
  if (parts.algorithm !== '' && parts.algorithm !== known && !isAsymmetric) {
    problems.push(`The algorithm ${parts.algorithm} is none; it is ${known}, in capitals.`)
  }
  if (parts.signature !== '' && !isAsymmetric && !/^[\da-f]{64}$/.test(parts.signature)) {
    problems.push('The signature is not 64 hexadecimal digits in lower case.')
  }
  if (signedHeaders !== '' && !names.includes('host')) {
    problems.push('The host header is not among the signed headers.')
  }
  if (given.some((name, index) => name !== names[index])) {
    problems.push('The signed headers are not in lower case, or have blanks.')
  }
  if (names.some((name, index) => index > 0 && name <= (names[index - 1] ?? ''))) {
    problems.push('The signed headers are not in the order of their names, each once.')
  }
  return {
    ...parts,
    accessKeyId,
    scope,
    region,
    service,
    signedHeaders: names.filter((name) => name !== ''),
    problems,
  }
}

/** The algorithm of signatures for several regions, whose scope names none. */
const asymmetric = 'AWS4-ECDSA-P256-SHA256'
