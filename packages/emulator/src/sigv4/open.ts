import { headerValues, type RawRequestHead } from '../http/request.ts'
import { canonicalRequest, type ClaimForm, hasMalformedEscape } from './canonical-request.ts'
import { readClaim, rejectCredential, type SignatureClaim } from './claim.ts'
import {
  checkRequestHead,
  type EmulatorApiKey,
  readVerifyOptions,
  type VerifyOptions,
  type VerifySettings,
} from './options.ts'
import { type BodyVerifier, openBody, payloadKind } from './payload.ts'
import { type PayloadKind, reject, type Rejected, rejectSignature } from './result.ts'
import {
  computeSignature,
  deriveSigningKey,
  equalInConstantTime,
  stringToSign,
} from './signature.ts'
import { validateTime } from './time.ts'

/** Options of {@link openSigV4}. The service is `s3`. */
export interface OpenOptions extends Omit<VerifyOptions, 'region' | 'service'> {
  /**
   * The region that the credential scope must name.
   * @default any region, which is as good where a key is known to one verifier alone
   */
  readonly region?: string
}

/** The signature of a request's head is valid; its body is verified as it arrives. */
export interface OpenedSigV4 {
  /** Always `true`. */
  readonly ok: true
  /** The access key that signed. */
  readonly accessKeyId: string
  /** The names of the signed headers, in order. */
  readonly signedHeaders: readonly string[]
  /** The place of the signature: the `Authorization` header, or the query of a presigned URL. */
  readonly form: ClaimForm
  /** The signature of the head. */
  readonly signature: string
  /** The way in which the signature covers the body. */
  readonly payload: PayloadKind
  /** The payload hash that is signed: 64 hex digits, `UNSIGNED-PAYLOAD`, or `STREAMING-…`. */
  readonly payloadHash: string
  /** The canonical request, a byte string. */
  readonly canonicalRequest: string
  /** The string to sign. */
  readonly stringToSign: string
  /** Verifies the body. */
  readonly body: BodyVerifier
}

/**
 * Verifies the head of a request as `verifySigV4` does, so that its body can be verified piece by piece, in
 * bounded memory, while it is passed on.
 *
 * @throws TypeError if an option is wrong, or a part of the head has another type.
 * @example
 * import { openSigV4 } from '@svc/emulator/verify'
 *
 * const opened = openSigV4(
 *   { method: 'GET', target: '/V1/report.json', rawHeaders: [['host', 'localhost']] },
 *   { apiKeys: [{ accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'EXAMPLEKEY' }] },
 * )
 * console.log(opened.ok ? opened.body.end() : opened.code) // AccessDenied
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 */
export function openSigV4(head: RawRequestHead, options: OpenOptions): OpenedSigV4 | Rejected {
  const { region, ...rest } = readOpenOptions(options)
  checkRequestHead(head, 'openSigV4')
  return openRequest(head, { ...rest, region }, undefined)
}

function readOpenOptions(options: OpenOptions): HeadSettings {
  const { region, ...rest } = options
  // Any name will do in place of one that is not checked.
  const settings = readVerifyOptions({ ...rest, region: region ?? 'any' }, 'openSigV4')
  return { ...settings, service: 's3', region }
}

/** Settings whose region may be any. */
type HeadSettings = Omit<VerifySettings, 'region'> & { readonly region: string | undefined }

/**
 * Verifies the head of a request with options that were checked.
 *
 * @param body - The whole body, which services other than `s3` need.
 */
export function openRequest(
  request: RawRequestHead,
  settings: HeadSettings,
  body: Uint8Array | undefined,
): OpenedSigV4 | Rejected {
  const invalid = validateHttp(request)
  if (invalid !== undefined) return invalid
  const claim = readClaim(request, settings.service, body)
  if (!claim.ok) return claim

  const computed = canonicalRequest(request, {
    form: claim.form,
    signedHeaders: claim.signedHeaders,
    payloadHash: claim.payloadHash,
    repeatedParameters: settings.repeatedParameters,
    plusInPath: settings.plusInPath,
    service: settings.service,
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
  const apiKey = settings.apiKeys.find((key) => key.accessKeyId === claim.accessKeyId)
  const rejected =
    validateScope(claim, settings) ??
    validateSignedHeaders(request, claim) ??
    validateKey(claim, apiKey) ??
    validateTime(claim, settings.clock(), settings.maxSkewMs)
  if (rejected !== undefined || apiKey === undefined) {
    return { ...(rejected ?? rejectAccessKey()), ...evidence }
  }

  const signingKey = deriveSigningKey(apiKey.secretAccessKey, claim.scope)
  const rejectedSignature = validateSignature(request, claim, computeSignature(signingKey, toSign))
  if (rejectedSignature !== undefined) return { ...rejectedSignature, ...evidence }
  const opened = openBody(request, claim, payload.kind, signingKey, settings)
  if (!opened.ok) return { ...evidence, ...opened }
  return {
    ok: true,
    accessKeyId: claim.accessKeyId,
    signedHeaders: claim.signedHeaders,
    form: claim.form,
    signature: claim.signature,
    payload: payload.kind,
    payloadHash: claim.payloadHash,
    canonicalRequest: computed,
    stringToSign: toSign,
    body: opened.body,
  }
}

// In process, a header can hold what no parser lets through, and a line feed would forge a line of
// the canonical request.
function validateHttp(request: RawRequestHead): Rejected | undefined {
  const isValid =
    /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(request.method) &&
    isByteString(request.target) &&
    request.rawHeaders.every(
      ([name, value]) => isByteString(name) && isByteString(value) && !/[\r\n]/.test(value),
    )
  if (!isValid) {
    return reject('InvalidArgument', 'The request line or a header is not valid HTTP.')
  }
  return hasMalformedEscape(request.target)
    ? reject('InvalidURI', "Couldn't parse the specified URI.")
    : undefined
}

function isByteString(text: string): boolean {
  return !/[^\p{ASCII}\u0080-\u00ff]/u.test(text)
}

function validateScope(claim: SignatureClaim, settings: HeadSettings): Rejected | undefined {
  const { form, scope } = claim
  const { region, service } = settings
  if (region !== undefined && scope.region !== region) {
    return rejectCredential(form, `the region '${scope.region}' is wrong; expecting '${region}'`, [
      ['Region', region],
    ])
  }
  if (scope.service !== service) {
    return rejectCredential(
      form,
      `incorrect service "${scope.service}". This endpoint belongs to "${service}".`,
    )
  }
  const date = claim.amzDate.slice(0, 8)
  if (scope.date !== date) {
    return rejectCredential(
      form,
      `Invalid credential date "${scope.date}". This date is not the same as X-Amz-Date: "${date}".`,
    )
  }
  return undefined
}

function validateSignedHeaders(
  request: RawRequestHead,
  claim: SignatureClaim,
): Rejected | undefined {
  const present = request.rawHeaders.map(([name]) => name.toLowerCase())
  const mustBeSigned = ['host', ...present.filter((name) => name.startsWith('x-amz-'))]
  const unsigned = [...new Set(mustBeSigned)].filter((name) => !claim.signedHeaders.includes(name))
  if (unsigned.length === 0) return undefined
  return reject('AccessDenied', 'There were headers present in the request which were not signed', [
    ['HeadersNotSigned', unsigned.join(', ')],
  ])
}

function validateKey(
  claim: SignatureClaim,
  apiKey: EmulatorApiKey | undefined,
): Rejected | undefined {
  if (apiKey === undefined) return rejectAccessKey()
  if (equalInConstantTime(claim.securityToken, apiKey.sessionToken ?? '')) return undefined
  if (claim.securityToken === '') {
    return reject('InvalidToken', 'This key needs x-amz-security-token.')
  }
  return reject('InvalidToken', 'The provided token is malformed or otherwise invalid.')
}

function rejectAccessKey(): Rejected {
  return reject(
    'InvalidAccessKeyId',
    'The AWS Access Key Id you provided does not exist in our records.',
  )
}

function validateSignature(
  request: RawRequestHead,
  claim: SignatureClaim,
  expected: string,
): Rejected | undefined {
  const missing = claim.signedHeaders.filter((name) => headerValues(request, name).length === 0)
  const isEqual = equalInConstantTime(expected, claim.signature)
  if (missing.length > 0) {
    return rejectSignature(
      `The request lacks headers that it lists as signed: ${missing.join(', ')}.`,
    )
  }
  return isEqual ? undefined : rejectSignature()
}
