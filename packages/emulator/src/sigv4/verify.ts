import { headerValues, type RawRequest } from '../http/request.ts'
import { canonicalRequest, type RepeatedParameters } from './canonical-request.ts'
import {
  claimFromHeader,
  claimFromQuery,
  isPresigned,
  refuseCredential,
  type SignatureClaim,
} from './claim.ts'
import { payloadKind, readPayload } from './payload.ts'
import { refuse, type Refused, type Verification } from './result.ts'
import { deriveSigningKey, equalInConstantTime, hmacSha256, stringToSign } from './signature.ts'
import { checkTime } from './time.ts'

/** What a request is verified against. */
export interface VerifyOptions {
  /** The keys whose signatures are accepted. */
  readonly apiKeys: readonly EmulatorApiKey[]
  /** The region that the credential scope must name. */
  readonly region: string
  /**
   * The service that the credential scope must name.
   * @default `'s3'`
   */
  readonly service?: string
  /**
   * The server's clock, in epoch milliseconds.
   * @default `Date.now`
   */
  readonly clock?: () => number
  /**
   * How far the request's clock may be off, either way, in milliseconds. A presigned URL is valid
   * until it expires, and may be signed this far ahead.
   * @default `900_000`
   */
  readonly maxSkewMs?: number
  /**
   * How the values of a repeated query parameter are ordered for signing: by value, as AWS
   * specifies, or in the order they arrived, as MinIO and Ceph do.
   * @default `'by-value'`
   */
  readonly repeatedParameters?: RepeatedParameters
}

/**
 * Verifies a Signature Version 4, in the header or presigned, from the raw request, as the S3
 * documentation describes it. The body is verified too: its hash, signed chunks and checksums. The
 * verifier shares no code with the clients' signers. It never rejects, whatever the request contains.
 *
 * @example
 * import { defaultApiKeys, verifySigV4 } from '@svc/emulator'
 *
 * const verification = await verifySigV4(
 *   { method: 'GET', target: '/V1/report.json', rawHeaders: [['host', 'localhost']], body: new Uint8Array() },
 *   { apiKeys: defaultApiKeys, region: 'us-east-1' },
 * )
 * if (!verification.ok) console.log(verification.code) // AccessDenied
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 */
// Asynchronous by contract, so that bodies that arrive in signed chunks can be verified as they come.
export async function verifySigV4(
  request: RawRequest,
  options: VerifyOptions,
): Promise<Verification> {
  const unusable = refuseWhatNoSocketBrings(request)
  if (unusable !== undefined) return unusable
  const claim = readClaim(request)
  if (!claim.ok) return claim

  const computed = canonicalRequest(request, {
    form: claim.form,
    signedHeaders: claim.signedHeaders,
    payloadHash: claim.payloadHash,
    repeatedParameters: options.repeatedParameters ?? 'by-value',
  })
  const toSign = stringToSign(claim.amzDate, claim.scope, computed)
  const evidence = {
    canonicalRequest: computed,
    stringToSign: toSign,
    accessKeyId: claim.accessKeyId,
    signedHeaders: claim.signedHeaders,
    signatureProvided: claim.signature,
  }

  const payload = payloadKind(claim)
  if (!payload.ok) return { ...payload, ...evidence }
  const apiKey = options.apiKeys.find((key) => key.accessKeyId === claim.accessKeyId)
  const refused =
    checkScope(claim, options) ??
    checkSignedHeaders(request, claim) ??
    checkKey(claim, apiKey) ??
    checkTime(claim, (options.clock ?? Date.now)(), options.maxSkewMs ?? 15 * 60 * 1000)
  if (refused !== undefined || apiKey === undefined) {
    return { ...(refused ?? unknownKey()), ...evidence }
  }

  const signingKey = deriveSigningKey(apiKey.secretAccessKey, claim.scope)
  const expected = Buffer.from(hmacSha256(signingKey, toSign)).toString('hex')
  const missing = claim.signedHeaders.filter((name) => headerValues(request, name).length === 0)
  if (!equalInConstantTime(expected, claim.signature) || missing.length > 0) {
    return { ...mismatch(missing), ...evidence }
  }
  const read = readPayload(request, claim, payload.kind, signingKey)
  if (!read.ok) return { ...evidence, ...read }
  return {
    ok: true,
    accessKeyId: claim.accessKeyId,
    signedHeaders: claim.signedHeaders,
    payload: payload.kind,
    body: read.body,
    canonicalRequest: computed,
    stringToSign: toSign,
  }
}

function readClaim(request: RawRequest): SignatureClaim | Refused {
  const authorization = headerValues(request, 'authorization')
  if (authorization.length > 0 && isPresigned(request)) {
    return refuse(
      'InvalidArgument',
      'Only one auth mechanism allowed; only the X-Amz-Algorithm query parameter, Signature query string parameter or the Authorization header should be specified',
      [['ArgumentName', 'Authorization']],
    )
  }
  if (authorization.length > 0) return claimFromHeader(request)
  if (isPresigned(request)) return claimFromQuery(request)
  return refuse('AccessDenied', 'Access Denied: the request is not signed.')
}

// In process, a header can hold what no parser lets through, and a line feed would forge a line of
// the canonical request.
function refuseWhatNoSocketBrings(request: RawRequest): Refused | undefined {
  const fine =
    /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(request.method) &&
    isByteString(request.target) &&
    request.rawHeaders.every(
      ([name, value]) => isByteString(name) && isByteString(value) && !/[\r\n]/.test(value),
    )
  return fine
    ? undefined
    : refuse('InvalidArgument', 'The request line or a header is not valid HTTP.')
}

function isByteString(text: string): boolean {
  return !/[^\p{ASCII}\u0080-\u00ff]/u.test(text)
}

function checkScope(claim: SignatureClaim, options: VerifyOptions): Refused | undefined {
  const { form, scope } = claim
  const service = options.service ?? 's3'
  if (scope.region !== options.region) {
    return refuseCredential(
      form,
      `the region '${scope.region}' is wrong; expecting '${options.region}'`,
      [['Region', options.region]],
    )
  }
  if (scope.service !== service) {
    return refuseCredential(
      form,
      `incorrect service "${scope.service}". This endpoint belongs to "${service}".`,
    )
  }
  const date = claim.amzDate.slice(0, 8)
  if (scope.date !== date) {
    return refuseCredential(
      form,
      `Invalid credential date "${scope.date}". This date is not the same as X-Amz-Date: "${date}".`,
    )
  }
  return undefined
}

function checkSignedHeaders(request: RawRequest, claim: SignatureClaim): Refused | undefined {
  const present = request.rawHeaders.map(([name]) => name.toLowerCase())
  const mustBeSigned = ['host', ...present.filter((name) => name.startsWith('x-amz-'))]
  const unsigned = [...new Set(mustBeSigned)].filter((name) => !claim.signedHeaders.includes(name))
  if (unsigned.length === 0) return undefined
  return refuse('AccessDenied', 'There were headers present in the request which were not signed', [
    ['HeadersNotSigned', unsigned.join(', ')],
  ])
}

function checkKey(claim: SignatureClaim, apiKey: EmulatorApiKey | undefined): Refused | undefined {
  if (apiKey === undefined) return unknownKey()
  if (equalInConstantTime(claim.securityToken, apiKey.sessionToken ?? '')) return undefined
  if (claim.securityToken === '') {
    return refuse('InvalidToken', 'This key needs x-amz-security-token.')
  }
  return refuse('InvalidToken', 'The provided token is malformed or otherwise invalid.')
}

function unknownKey(): Refused {
  return refuse(
    'InvalidAccessKeyId',
    'The AWS Access Key Id you provided does not exist in our records.',
  )
}

function mismatch(missing: readonly string[]): Refused {
  const hint =
    missing.length === 0
      ? 'Check your key and signing method.'
      : `The request lacks headers that it lists as signed: ${missing.join(', ')}.`
  return refuse(
    'SignatureDoesNotMatch',
    `The request signature we calculated does not match the signature you provided. ${hint}`,
  )
}

/** A key whose signatures the emulator accepts. */
export interface EmulatorApiKey {
  /** The "Client Key" of the console. */
  readonly accessKeyId: string
  /** The secret that requests are signed with. */
  readonly secretAccessKey: string
  /**
   * If set, requests must carry it, signed, in `x-amz-security-token`.
   *
   * @default no session token, and requests must not carry one
   */
  readonly sessionToken?: string
}
