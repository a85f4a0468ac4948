/**
 * Puts a signature into a URL, for someone who has no key.
 *
 * @module @svc/auth-sigv4/presign
 */
import { AuthError } from '@svc/auth-hooks'
import { check, checkOptions, isHttpToken, normalizeMethod } from '@svc/auth-hooks/scheme'
import { canonicalQuery } from './canonical-query.ts'
import { canonicalHeaders, canonicalPath, canonicalRequest } from './canonical-request.ts'
import { type CarriedSigner, signerOf } from './carried-signer.ts'
import { emptyHash, unsignedPayload } from './payload-hashes.ts'
import { algorithm } from './signer.ts'
import type { SigV4Auth } from './sigv4-auth.ts'

/** Options of {@link presign}. */
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
   * The time for which the URL is valid, in whole seconds from 1 to 604 800, which is 7 days. It expires with
   * temporary credentials in any case.
   *
   * @default `3600`
   */
  expiresInSeconds?: number | undefined
}

const caller = '[@svc/auth-sigv4] presign'

/**
 * Signs a URL for someone who has no key. Anyone who has the presigned URL can send this one request
 * until it expires: treat it as a secret. A URL that is already presigned is signed again.
 *
 * @param auth - The scheme that signs the URL.
 * @throws TypeError if `auth` is not what `createSigV4Auth` returns, or the URL or an option is invalid.
 * @throws AuthError `ERR_AUTH_ORIGIN` for a URL that is not covered, `ERR_AUTH_URL` for one with a user
 * name or a dot segment, `ERR_AUTH_HEADER` for an `authorization` header, `ERR_AUTH_CREDENTIALS`,
 * `ERR_AUTH_CRYPTO`.
 * @example
 * import { createSigV4Auth } from '@svc/auth-sigv4'
 * import { presign } from '@svc/auth-sigv4/presign'
 *
 * const auth = createSigV4Auth({
 *   baseUrl: 'https://search.example.com',
 *   region: 'us-east-1',
 *   credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'EXAMPLEKEY' },
 * })
 * const link = await presign(auth, 'https://search.example.com/V1/report.csv', {
 *   expiresInSeconds: 600,
 * })
 * console.log(link.searchParams.get('X-Amz-Expires')) // 600
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html
 */
export async function presign(
  auth: SigV4Auth,
  url: string | URL,
  options: PresignOptions = {},
): Promise<URL> {
  const signer = signerOf(auth, caller)
  const target = readTarget(url, auth, signer)
  const { method, headers, expiresInSeconds } = readPresignOptions(options)
  assertPresignable(`${method} ${target.origin}${target.pathname}`, target, headers)

  const path = canonicalPath(target, signer.pathEncoding)
  const { lines, signedHeaders } = canonicalHeaders([['host', target.host], ...headers])
  const { accessKeyId, sessionToken, date, sign } = await signer.signingContext(target)
  const parameters = new URLSearchParams({
    'X-Amz-Algorithm': algorithm,
    'X-Amz-Credential': `${accessKeyId}/${date.scopeText}`,
    'X-Amz-Date': date.amzDate,
    'X-Amz-Expires': String(expiresInSeconds),
    'X-Amz-SignedHeaders': signedHeaders,
    ...(sessionToken !== undefined && { 'X-Amz-Security-Token': sessionToken }),
  })
  const query = canonicalQuery(
    `?${withoutSignature(target.search)}&${parameters}`,
    signer.repeatedParameters,
  )
  const hash =
    headers.get('x-amz-content-sha256') ?? (signer.service === 's3' ? unsignedPayload : emptyHash)
  const { signature } = await sign(
    canonicalRequest(method, path, query, { lines, signedHeaders }, hash),
  )
  return new URL(`${target.origin}${path.sent}?${query.sent}&X-Amz-Signature=${signature}`)
}

function readTarget(url: string | URL, auth: SigV4Auth, signer: CarriedSigner): URL {
  check(URL.canParse(url), caller, 'url must be an absolute URL')
  const target = new URL(url)
  // A copy of a scheme may cover less.
  if (signer.covers(target) && auth.covers(target)) return target
  throw new AuthError(
    'ERR_AUTH_ORIGIN',
    `[@svc/auth-sigv4] ${target.origin} is not covered; nothing was presigned`,
  )
}

const longestSeconds = 7 * 24 * 60 * 60

function readPresignOptions(options: PresignOptions) {
  checkOptions(options, caller)
  const { method = 'GET', expiresInSeconds = 3600 } = options
  check(isHttpToken(method), caller, 'method must be an HTTP method such as GET')
  const isInRange = expiresInSeconds >= 1 && expiresInSeconds <= longestSeconds
  check(
    Number.isInteger(expiresInSeconds) && isInRange,
    caller,
    'expiresInSeconds must be a whole number from 1 to 604 800 (7 days)',
  )
  const headers = readHeaders(options.headers)
  // These are parameters of the URL, which would contradict them.
  for (const name of ['host', 'x-amz-date', 'x-amz-security-token']) headers.delete(name)
  // As clients send it, one of which will use the URL.
  return { method: normalizeMethod(method), headers, expiresInSeconds }
}

function readHeaders(headers: RequestInit['headers']): Headers {
  try {
    return new Headers(headers)
  } catch (cause) {
    throw new TypeError(`${caller}: headers must be headers that fetch accepts`, { cause })
  }
}

function assertPresignable(requestLine: string, url: URL, headers: Headers): void {
  if (headers.has('authorization')) {
    throw new AuthError(
      'ERR_AUTH_HEADER',
      `[@svc/auth-sigv4] ${requestLine} cannot be presigned with an authorization header`,
    )
  }
  if (url.username !== '' || url.password !== '') {
    throw new AuthError(
      'ERR_AUTH_URL',
      `[@svc/auth-sigv4] ${requestLine} cannot be presigned with a user name or password in the URL`,
    )
  }
}

const signatureParameters =
  /(?<=^|&)x-amz-(?:algorithm|credential|date|expires|security-token|signature|signedheaders)=[^&]*&?/gi

// Decoded and encoded in one form first, so that no parameter of an earlier signature hides.
function withoutSignature(search: string): string {
  return canonicalQuery(search, 'wire-order').sent.replace(signatureParameters, '')
}
