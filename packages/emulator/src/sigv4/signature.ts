import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

/** The one algorithm of Signature Version 4 that is spoken here. */
export const signingAlgorithm = 'AWS4-HMAC-SHA256'

/** Writes the string to sign of a request. */
export function stringToSign(
  amzDate: string,
  scope: CredentialScope,
  canonicalRequest: string,
): string {
  return [signingAlgorithm, amzDate, formatScope(scope), sha256Hex(canonicalRequest)].join('\n')
}

/** The scope that a signing key is good for. */
export interface CredentialScope {
  /** `YYYYMMDD`. */
  readonly date: string
  readonly region: string
  readonly service: string
}

/** Tells if a service signs as S3 does: the path encoded once, and the payload hash in a header. */
export function isS3Service(service: string): boolean {
  return ['s3', 's3express', 's3-object-lambda', 's3-outposts'].includes(service)
}

/** Writes a credential scope as it stands in a string to sign. */
export function formatScope(scope: CredentialScope): string {
  return `${scope.date}/${scope.region}/${scope.service}/aws4_request`
}

/**
 * Derives the signing key of a secret for one day, region and service.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 */
export function deriveSigningKey(secretAccessKey: string, scope: CredentialScope): Uint8Array {
  // A secret is text and is hashed as UTF-8, unlike everything that comes from the wire.
  const dateKey = hmacSha256(Buffer.from(`AWS4${secretAccessKey}`, 'utf8'), scope.date)
  const regionKey = hmacSha256(dateKey, scope.region)
  const serviceKey = hmacSha256(regionKey, scope.service)
  return hmacSha256(serviceKey, 'aws4_request')
}

/** Computes the signature of a string to sign, in lower-case hex. */
export function computeSignature(signingKey: Uint8Array, toSign: string): string {
  return Buffer.from(hmacSha256(signingKey, toSign)).toString('hex')
}

const amzDateForm = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z$/

/** Parses `YYYYMMDDTHHMMSSZ` into an instant; `undefined` for anything else. */
export function parseAmzDate(text: string): number | undefined {
  const parts = amzDateForm.exec(text)
  if (parts === null) return undefined
  const [, year, month, day, hour, minute, second] = parts
  const instant = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  // Date.parse takes 24:00:00 and, in V8, the 31st of a shorter month.
  return Number.isNaN(instant) || formatAmzDate(instant) !== text ? undefined : instant
}

function formatAmzDate(instant: number): string {
  return new Date(instant).toISOString().replace(/[-:]|\.\d{3}/g, '')
}

/** Returns the lower-case hex SHA-256; a string is a byte string. */
export function sha256Hex(data: string | Uint8Array): string {
  return createHash('sha256').update(toBytes(data)).digest('hex')
}

/** Compares two strings in a time that does not tell where they differ. */
export function equalInConstantTime(left: string, right: string): boolean {
  // Digests have one length, and timingSafeEqual throws on two.
  return timingSafeEqual(digestText(left), digestText(right))
}

function digestText(text: string): Uint8Array {
  return createHash('sha256').update(text, 'utf8').digest()
}

function hmacSha256(key: Uint8Array, data: string): Uint8Array {
  return createHmac('sha256', key).update(toBytes(data)).digest()
}

function toBytes(data: string | Uint8Array): Uint8Array {
  return typeof data === 'string' ? Buffer.from(data, 'latin1') : data
}
