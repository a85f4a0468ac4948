/**
 * Puts a signature into a URL, for someone who has no key.
 *
 * @module @svc/auth-sigv4/presign
 */
import {
  check,
  checkOptions,
  isHttpToken,
  normalizeMethod,
  type OptionNames,
} from '@svc/auth-hooks/scheme'
import type { AuthScheme } from '@svc/types'
import { canonicalQuery } from './canonical-query.ts'
import {
  canonicalHeaders,
  canonicalPath,
  canonicalRequest,
  emptyHash,
  isS3Service,
  unsignedPayload,
} from './canonical-request.ts'
import { type CarriedSigner, signerOf, withBase } from './carried-signer.ts'
import { readHeaders } from './read-headers.ts'
import { requestError, type RequestLine } from './request-error.ts'
import { algorithm } from './signer.ts'

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
   * The body that anyone who uses the URL must send: text or bytes. Its hash is signed. S3 has to be told
   * that hash: it is added to the signed headers as `x-amz-content-sha256`, unless the scheme has
   * `payload: 'unsigned'`. Other services take it from the body.
   *
   * @default any body for the service `s3`, none for any other
   */
  body?: string | ArrayBuffer | ArrayBufferView | undefined
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
 * @param auth - The scheme that signs the URL, or a selector that chooses it.
 * @param url - The absolute URL, or a path below the base URL of `auth`. `wss:` is signed as `https:`, for a WebSocket.
 * @throws TypeError if `auth` is not what `createSigV4Auth` returns or chooses another scheme, or the URL or an
 * option is invalid.
 * @throws AuthError `ERR_AUTH_ORIGIN` for a URL that is not covered, `ERR_AUTH_URL` for one with a user
 * name or a dot segment, `ERR_AUTH_HEADER` for an `authorization` header, `ERR_AUTH_BODY` for a body that is
 * neither text nor bytes, such as a stream, `ERR_AUTH_CREDENTIALS`, `ERR_AUTH_CRYPTO`.
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
  auth: AuthScheme,
  url: string | URL,
  options: PresignOptions = {},
): Promise<URL> {
  const signerFor = signerOf(auth, caller)
  const given = readTarget(withBase(auth, url))
  // A WebSocket is opened by a request over http(s).
  const target = new URL(given.href.replace(/^ws/, 'http'))
  const { method, headers, body, expiresInSeconds } = readPresignOptions(options)
  const signer = signerFor(method, target)
  const request = { method, url: target }
  if (headers.has('authorization')) {
    const problem = ' cannot be presigned with an authorization header'
    throw requestError('ERR_AUTH_HEADER', request, problem)
  }
  if (target.username !== '' || target.password !== '') {
    const problem = ' cannot be presigned with a user name or password in the URL'
    throw requestError('ERR_AUTH_URL', request, problem)
  }

  const path = canonicalPath(target, signer.pathEncoding)
  const hash = await payloadHash(signer, headers, body, request)
  const { lines, signedHeaders } = canonicalHeaders([['host', target.host], ...headers])
  const { accessKeyId, sessionToken, date, sign } = await signer.signingContext(target)
  const token = sessionToken !== undefined && { 'X-Amz-Security-Token': sessionToken }
  // https://docs.aws.amazon.com/iot/latest/developerguide/iam-users-groups-roles.html
  const isTokenSigned = signer.service !== 'iotdevicegateway'
  const parameters = new URLSearchParams({
    'X-Amz-Algorithm': algorithm,
    'X-Amz-Credential': `${accessKeyId}/${date.scopeText}`,
    'X-Amz-Date': date.amzDate,
    'X-Amz-Expires': String(expiresInSeconds),
    'X-Amz-SignedHeaders': signedHeaders,
    ...(isTokenSigned && token),
  })
  const query = canonicalQuery(
    `?${withoutSignature(target.search)}&${parameters}`,
    signer.repeatedParameters,
  )
  const { signature } = await sign(
    canonicalRequest(method, path, query, { lines, signedHeaders }, hash),
  )
  const rest = new URLSearchParams({ 'X-Amz-Signature': signature, ...(!isTokenSigned && token) })
  return new URL(`${given.origin}${path.sent}?${query.sent}&${rest}`)
}

function readTarget(url: string | URL): URL {
  const text = typeof url === 'object' ? url?.href : url
  check(
    typeof text === 'string' && URL.canParse(text),
    caller,
    "url must be an absolute URL, such as new URL('/V1/report.csv', baseUrl)",
  )
  return new URL(text)
}

const longestSeconds = 7 * 24 * 60 * 60

const optionNames: OptionNames<PresignOptions> = {
  method: '',
  headers: '',
  body: '',
  expiresInSeconds: 'expires expiresIn expiry ttl',
}

function readPresignOptions(given: PresignOptions) {
  const options = checkOptions(given, caller, optionNames)
  const { method = 'GET', expiresInSeconds = 3600 } = options
  check(isHttpToken(method), caller, 'method must be an HTTP method such as GET')
  const isInRange = expiresInSeconds >= 1 && expiresInSeconds <= longestSeconds
  check(
    Number.isInteger(expiresInSeconds) && isInRange,
    caller,
    'expiresInSeconds must be a whole number from 1 to 604 800 (7 days)',
  )
  const headers = readHeaders(options.headers, caller, 'headers')
  // These are parameters of the URL, which would contradict them.
  for (const name of ['host', 'x-amz-date', 'x-amz-security-token']) headers.delete(name)
  // `fetch` takes `null` for no body, too.
  const body = options.body ?? undefined
  return { method: normalizeMethod(method), headers, body, expiresInSeconds }
}

/** Returns the hash that the URL is signed with, and adds it to the headers where the service has to be told. */
async function payloadHash(
  { service, hashPayload }: CarriedSigner,
  headers: Headers,
  body: PresignOptions['body'],
  request: RequestLine,
): Promise<string> {
  const given = headers.get('x-amz-content-sha256')
  const isS3 = isS3Service(service)
  if (given !== null || body === undefined) return given ?? (isS3 ? unsignedPayload : emptyHash)
  const hash = await hashPayload(bytesOf(body, request))
  // S3 takes the body of a presigned URL for unsigned, and others take its hash, unless they are told.
  if ((hash === unsignedPayload) !== isS3) headers.set('x-amz-content-sha256', hash)
  return hash
}

function bytesOf(body: NonNullable<PresignOptions['body']>, request: RequestLine): Uint8Array {
  if (typeof body === 'string') return new TextEncoder().encode(body)
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength)
  // By tag and not by class, since one of another realm is just as good.
  if (Object.prototype.toString.call(body) === '[object ArrayBuffer]') return new Uint8Array(body)
  throw requestError('ERR_AUTH_BODY', request, ': the body to presign must be text or bytes')
}

const signatureParameters =
  /(?<=^|&)x-amz-(?:algorithm|credential|date|expires|security-token|signature|signedheaders)=[^&]*&?/gi

// Decoded and encoded in one form first, so that no parameter of an earlier signature hides.
function withoutSignature(search: string): string {
  return canonicalQuery(search, 'wire-order').sent.replace(signatureParameters, '')
}
