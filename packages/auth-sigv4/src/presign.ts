import { AuthError } from '@svc/auth-hooks'
import { isHttpToken } from '@svc/auth-hooks/scheme'
import type { ApiKey } from './credentials.ts'
import { canonicalHeaders } from './canonical-request.ts'
import { canonicalPath } from './canonical-request.ts'
import { canonicalQuery } from './canonical-query.ts'
import { canonicalRequest } from './canonical-request.ts'
import { emptyHash, unsignedPayload } from './payload.ts'
import type { SignerSettings } from './signer.ts'
import type { CanonicalSigner } from './signer.ts'
import type { SigningDate } from './signer.ts'
import { algorithm } from './signer.ts'

/** Options of `presign`. */
export interface PresignOptions {
  /**
   * The method that the URL is valid for.
   *
   * @default `'GET'`
   */
  method?: string | undefined
  /**
   * Headers that anyone who uses the URL must send exactly as given here.
   *
   * @default none
   */
  headers?: RequestInit['headers'] | undefined
  /**
   * How long the URL is valid, in whole seconds from 1 to 604 800, which is 7 days. It expires with
   * temporary credentials in any case.
   *
   * @default `3600`
   */
  expiresInSeconds?: number | undefined
}

const longestSeconds = 7 * 24 * 60 * 60
const ownParameters =
  /(?<=^|&)x-amz-(?:algorithm|credential|date|expires|security-token|signature|signedheaders)=[^&]*&?/gi

/**
 * Puts a signature into the query of a URL.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html
 */
export async function presignUrl(
  { pathEncoding, repeatedParameters, service }: SignerSettings,
  sign: CanonicalSigner,
  url: URL,
  apiKey: ApiKey,
  date: SigningDate,
  options: PresignOptions = {},
): Promise<URL> {
  const { method, headers, expiresInSeconds } = readOptions(url, options)
  const path = canonicalPath(url.pathname, pathEncoding)
  const { lines, signedHeaders } = canonicalHeaders([['host', url.host], ...headers])
  // Decoded and encoded in one form first, so that none of an earlier signature hides.
  const before = canonicalQuery(url.search, 'wire-order').wire.replace(ownParameters, '')
  const parameters = new URLSearchParams({
    'X-Amz-Algorithm': algorithm,
    'X-Amz-Credential': `${apiKey.accessKeyId}/${date.scopeText}`,
    'X-Amz-Date': date.amzDate,
    'X-Amz-Expires': String(expiresInSeconds),
    'X-Amz-SignedHeaders': signedHeaders,
    ...(apiKey.sessionToken !== undefined && { 'X-Amz-Security-Token': apiKey.sessionToken }),
  })
  const query = canonicalQuery(`?${before}&${parameters}`, repeatedParameters)
  const hash =
    headers.get('x-amz-content-sha256') ?? (service === 's3' ? unsignedPayload : emptyHash)
  const canonical = canonicalRequest(method, path, query, { lines, signedHeaders }, hash)
  const { signature } = await sign(canonical, date, apiKey)
  return new URL(`${url.origin}${path.wire}?${query.wire}&X-Amz-Signature=${signature}`)
}

/**
 * The URL to presign.
 *
 * @throws TypeError where it is no URL; AuthError `ERR_AUTH_ORIGIN` where it is not covered.
 */
export function readTarget(url: string | URL, covers: (url: URL) => boolean): URL {
  if (!URL.canParse(url)) throw new TypeError('url must be an absolute URL')
  const target = new URL(url)
  if (covers(target)) return target
  throw new AuthError(
    'ERR_AUTH_ORIGIN',
    `[@svc/auth-sigv4] ${target.origin} is not covered; nothing was presigned`,
  )
}

function readOptions(url: URL, options: PresignOptions) {
  if (typeof options !== 'object' || options === null) {
    throw new TypeError('options must be an object')
  }
  const { method = 'GET', expiresInSeconds = 3600 } = options
  if (!isHttpToken(method)) {
    throw new TypeError('method must be an HTTP method such as GET')
  }
  const isInRange = expiresInSeconds >= 1 && expiresInSeconds <= longestSeconds
  if (!Number.isInteger(expiresInSeconds) || !isInRange) {
    throw new TypeError('expiresInSeconds must be a whole number from 1 to 604 800 (7 days)')
  }
  let headers: Headers
  try {
    headers = new Headers(options.headers)
  } catch (cause) {
    throw new TypeError('headers must be headers that fetch accepts', { cause })
  }
  // These are parameters of the URL, which would contradict them.
  for (const name of ['host', 'x-amz-date', 'x-amz-security-token']) headers.delete(name)
  const place = `[@svc/auth-sigv4] ${method} ${url.origin}${url.pathname}`
  if (headers.has('authorization')) {
    throw new AuthError(
      'ERR_AUTH_HEADER',
      `${place} cannot be presigned with an authorization header`,
    )
  }
  if (url.username !== '' || url.password !== '') {
    throw new AuthError(
      'ERR_AUTH_URL',
      `${place} cannot be presigned with a user name or password in the URL`,
    )
  }
  // As `fetch` does, which the one who uses the URL may call.
  const standard = /^(?:delete|get|head|options|post|put)$/i.test(method)
  return { method: standard ? method.toUpperCase() : method, headers, expiresInSeconds }
}
