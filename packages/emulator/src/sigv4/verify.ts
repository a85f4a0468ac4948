import { headerValues, type RawRequest } from '../http/request.ts'
import { canonicalRequest, hasMalformedEscape } from './canonical-request.ts'
import { readClaim, rejectCredential, type SignatureClaim } from './claim.ts'
import {
  checkRequest,
  type EmulatorApiKey,
  readVerifyOptions,
  type VerifyOptions,
  type VerifySettings,
} from './options.ts'
import { payloadKind, readPayload } from './payload.ts'
import { reject, type Rejected, rejectSignature, type Verification } from './result.ts'
import {
  computeSignature,
  deriveSigningKey,
  equalInConstantTime,
  stringToSign,
} from './signature.ts'
import { validateTime } from './time.ts'

/**
 * Verifies a Signature Version 4, in the header or presigned, from the raw request, as the S3
 * documentation describes it. The body is verified too: its hash, signed chunks and checksums. The
 * verifier shares no code with the clients' signers. Whatever the request contains, the promise
 * resolves.
 *
 * @throws TypeError if an option is wrong, or a part of the request has another type.
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
  const settings = readVerifyOptions(options)
  checkRequest(request)
  return verifyRequest(request, settings)
}

/** Verifies a signature as {@link verifySigV4} does, with options that were checked. */
export function verifyRequest(request: RawRequest, settings: VerifySettings): Verification {
  const invalid = validateHttp(request)
  if (invalid !== undefined) return invalid
  const claim = readClaim(request, settings.service)
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
  const read = readPayload(request, claim, payload.kind, signingKey, settings)
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

// In process, a header can hold what no parser lets through, and a line feed would forge a line of
// the canonical request.
function validateHttp(request: RawRequest): Rejected | undefined {
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

function validateScope(claim: SignatureClaim, settings: VerifySettings): Rejected | undefined {
  const { form, scope } = claim
  const { region, service } = settings
  if (scope.region !== region) {
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

function validateSignedHeaders(request: RawRequest, claim: SignatureClaim): Rejected | undefined {
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
  request: RawRequest,
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
