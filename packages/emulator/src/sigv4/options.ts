import { type Checks, checkedClock, checksOf } from '../checks.ts'
import type { RawRequest, RawRequestHead } from '../http/request.ts'
import type { PlusInPath, RepeatedParameters } from './canonical-request.ts'
import type { BodiesWithoutLength } from './payload.ts'

/** Options of `verifySigV4`. */
export interface VerifyOptions {
  /** The keys whose signatures are accepted. */
  readonly apiKeys: readonly EmulatorApiKey[]
  /** The region that the credential scope must name. */
  readonly region: string
  /**
   * The service that the credential scope must name. Any but `s3` and its kin is verified by the rules of those: the
   * path normalized and encoded twice, the payload hash taken from the body.
   * @default `'s3'`
   */
  readonly service?: string
  /**
   * The server's clock, in epoch milliseconds.
   * @default `Date.now`
   */
  readonly clock?: () => number
  /**
   * The largest difference of the request's clock, either way, in milliseconds. A presigned URL is
   * valid until it expires, and may be signed this far ahead.
   * @default `900_000`
   */
  readonly maxSkewMs?: number
  /**
   * The order of the values of a repeated query parameter in the signature: by value, as AWS
   * specifies, or in the order they arrived, as MinIO and Ceph do.
   * @default `'by-value'`
   */
  readonly repeatedParameters?: RepeatedParameters
  /**
   * The meaning of a `+` in a path: itself, as AWS's documents say, or a space, as S3 is reported to
   * read it.
   * @default `'plus'`
   */
  readonly plusInPath?: PlusInPath
  /**
   * `'rejected'` if a body with neither a `content-length` nor `aws-chunked` is rejected with 411, as
   * servers like S3 do.
   * @default `'rejected'`
   */
  readonly bodiesWithoutLength?: BodiesWithoutLength
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

/** Checked options, every one of them there. */
export type VerifySettings = Required<VerifyOptions>

/** Fills in the defaults; throws a `TypeError` that names a wrong option. */
export function readVerifyOptions(options: VerifyOptions, caller: string): VerifySettings {
  const checks = checksOf(caller)
  checks.object(options, 'options')
  const { service = 's3', clock = Date.now, maxSkewMs = 15 * 60 * 1000 } = options
  const {
    apiKeys,
    region,
    repeatedParameters = 'by-value',
    plusInPath = 'plus',
    bodiesWithoutLength = 'rejected',
  } = options
  const reading = { repeatedParameters, plusInPath, bodiesWithoutLength }
  const settings = { apiKeys, region, service, clock, maxSkewMs, ...reading }
  checks.names(options, 'options', settings)
  checkApiKeys(apiKeys, checks)
  checkRegion(region, checks)
  checks.text(service, 'service')
  checks.that(
    typeof maxSkewMs === 'number' && maxSkewMs >= 0,
    'maxSkewMs',
    'must be a number of milliseconds',
  )
  checkReading(reading, checks)
  return { ...settings, clock: checkedClock(clock, checks) }
}

/** Throws a `TypeError` unless every part of a request's head has its type; what it holds does not matter. */
export function checkRequestHead(request: RawRequestHead, caller: string): void {
  const checks = checksOf(caller)
  checks.object(request, 'request')
  const { method, target, rawHeaders } = request
  checks.that(typeof method === 'string', 'request.method', 'must be a string')
  checks.that(typeof target === 'string', 'request.target', 'must be a string')
  checks.array(rawHeaders, 'request.rawHeaders')
  for (const [index, header] of rawHeaders.entries()) {
    checks.that(
      Array.isArray(header) && typeof header[0] === 'string' && typeof header[1] === 'string',
      `request.rawHeaders[${index}]`,
      'must be a name and a value',
    )
  }
}

/** Throws a `TypeError` unless the body of a request is bytes. */
export function checkBody({ body }: RawRequest): void {
  checksOf('verifySigV4').that(body instanceof Uint8Array, 'request.body', 'must be a Uint8Array')
}

/** Checks the keys whose signatures are accepted. */
export function checkApiKeys(apiKeys: readonly EmulatorApiKey[], checks: Checks): void {
  checks.array(apiKeys, 'apiKeys')
  const seen = new Set<string>()
  for (const [index, apiKey] of apiKeys.entries()) {
    const option = `apiKeys[${index}]`
    checks.data(apiKey, option, { accessKeyId: 1, secretAccessKey: 1, sessionToken: 1 })
    const { accessKeyId, secretAccessKey, sessionToken } = apiKey
    checks.text(accessKeyId, `${option}.accessKeyId`)
    checks.that(
      isScopeName(accessKeyId),
      `${option}.accessKeyId`,
      'must not contain "/", "," or spaces',
    )
    checks.text(secretAccessKey, `${option}.secretAccessKey`)
    if (sessionToken !== undefined) checks.text(sessionToken, `${option}.sessionToken`)
    checks.that(!seen.has(accessKeyId), option, `is a duplicate of "${accessKeyId}"`)
    seen.add(accessKeyId)
  }
}

/** Checks the region that signatures must name. */
export function checkRegion(region: string, checks: Checks): void {
  checks.that(isScopeName(region), 'region', 'must be a name without "/", "," or spaces')
}

function isScopeName(value: unknown): boolean {
  return typeof value === 'string' && /^[^/,\s]+$/.test(value)
}

/** Checks the options on which servers differ. */
export function checkReading(
  reading: Pick<VerifySettings, 'repeatedParameters' | 'plusInPath' | 'bodiesWithoutLength'>,
  checks: Checks,
): void {
  checks.oneOf(reading.repeatedParameters, 'repeatedParameters', ['by-value', 'wire-order'])
  checks.oneOf(reading.plusInPath, 'plusInPath', ['plus', 'space'])
  checks.oneOf(reading.bodiesWithoutLength, 'bodiesWithoutLength', ['rejected', 'accepted'])
}
