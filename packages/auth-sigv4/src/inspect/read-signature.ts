import { defaultEngine } from '#default-engine'
import { AuthError } from '@svc/auth-hooks'
import type { AuthScheme } from '@svc/types'
import { canonicalQuery, type RepeatedParameters, uriEncode } from '../canonical-query.ts'
import {
  canonicalHeaders,
  canonicalRequest,
  emptyHash,
  isS3Service,
  type PathEncoding,
  unsignedPayload,
} from '../canonical-request.ts'
import { type CarriedSigner, signerSymbol } from '../carried-signer.ts'
import { unsignedQuery } from '../diagnose/presigned-url.ts'
import type { SigningEngine } from '../engines/engine.ts'
import { algorithm, createCanonicalSigner, type SignedRequest } from '../signer.ts'
import { type Claim, readClaim, type SignatureRead } from './claim.ts'

/** A request as it was sent, signed by any tool. Its texts are byte strings, as headers are signed. */
export interface SignedHttpRequest {
  /** The method. */
  readonly method: string
  /** The whole URL as text, since a parser of URLs would change what was signed. */
  readonly url: string
  /** Every header in the order of the wire. A host that is missing is that of the URL. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  /**
   * The body, which is hashed where the request does not tell its payload hash.
   *
   * @default none
   */
  readonly body?: Uint8Array | undefined
}

/** Options of {@link readSignature}. */
export interface ReadSignatureOptions {
  /**
   * The secret of the access key that signed.
   *
   * @default none, and the signature is taken as the request has it, as it is for an algorithm other than
   * AWS4-HMAC-SHA256
   */
  readonly secretAccessKey?: string | undefined
  /**
   * The form in which the path is signed.
   *
   * @default `'s3'` where the scope names the service `s3` or one of its kin, else `'double'`
   */
  readonly pathEncoding?: PathEncoding | undefined
  /**
   * The order in which repeated values of a parameter are signed.
   *
   * @default `'by-value'`
   */
  readonly repeatedParameters?: RepeatedParameters | undefined
  /**
   * Computes hashes and signatures.
   *
   * @default `nativeEngine()` on Node, Bun and Deno, `webCryptoEngine()` elsewhere
   */
  readonly engine?: SigningEngine | undefined
}

const caller = '[@svc/auth-sigv4] readSignature'

/**
 * Reads the signature that a request bears, of this package or of any other tool, so that `explain` and `diagnose`
 * show and compare the request by its own signed headers, date and scope.
 *
 * @returns `undefined` for a request without a signature of version 4.
 * @throws TypeError if the URL is not absolute.
 * @example
 * import { explain } from '@svc/auth-sigv4/explain'
 * import { readSignature } from '@svc/auth-sigv4/inspect'
 *
 * const url = 'https://search.example.com/V1/report.csv'
 * const authorization =
 *   'AWS4-HMAC-SHA256 Credential=AKID/20130524/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=00'
 * const read = readSignature({ method: 'GET', url, headers: [['authorization', authorization]] })
 * if (read) console.log((await explain(read.auth, url)).signedHeaders) // host
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-auth-using-authorization-header.html
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html
 */
export function readSignature(
  request: SignedHttpRequest,
  options: ReadSignatureOptions = {},
): SignatureRead | undefined {
  const [whole, host = '', path = '', query = ''] =
    /^https?:\/\/([^/?#]+)([^?#]*)\??([^#]*)/is.exec(request.url) ?? []
  if (whole === undefined) throw new TypeError(`${caller}: url must be an absolute URL`)
  const headers = new Map<string, string>()
  for (const [given, value] of request.headers) {
    const name = given.toLowerCase()
    const before = headers.get(name)
    const trimmed = trimBlanks(value)
    headers.set(name, before === undefined ? trimmed : `${before},${trimmed}`)
  }
  if (!headers.has('host')) headers.set('host', host.replace(/^.*@/, ''))
  const claim = readClaim(headers, query)
  if (!claim) return undefined
  const problems = [...claim.problems, ...targetProblems(path, query)]

  const { engine = defaultEngine(), repeatedParameters = 'by-value' } = options
  const { pathEncoding = isS3Service(claim.service) ? 's3' : 'double' } = options
  const payload = payloadOf(claim, headers, request.body, engine)
  const missingHeaders = claim.signedHeaders.filter((name) => !headers.has(name))
  const signedQuery = claim.form === 'query' ? unsignedQuery(query) : query
  const canonicalOf = (hash: string): string =>
    canonicalRequest(
      request.method,
      { sent: path, canonical: signedPath(path || '/', pathEncoding) },
      canonicalQuery(`?${signedQuery}`, repeatedParameters),
      canonicalHeaders(claim.signedHeaders.map((name) => [name, headers.get(name) ?? ''])),
      hash,
    )

  const signRequest: CarriedSigner['signRequest'] = async () => {
    const hash = await payload
    const canonical = canonicalOf(hash)
    const signed = await sign(canonical, claim, options.secretAccessKey, engine)
    const authorization = headers.get('authorization')
    return {
      ...signed,
      canonicalRequest: canonical,
      signedHeaders: claim.signedHeaders.join(';'),
      payloadHash: hash,
      url: request.url,
      headers: authorization === undefined ? [] : [['authorization', authorization]],
    }
  }
  const { origin } = new URL(request.url)
  const covers = (url: URL): boolean => url.origin === origin
  const signer: CarriedSigner = {
    service: claim.service,
    pathEncoding,
    repeatedParameters,
    covers,
    signRequest,
    hashPayload: (bytes) => engine.hash(bytes),
    borne: {
      signature: claim.signature,
      isComparable: options.secretAccessKey !== undefined && claim.algorithm === algorithm,
      missingHeaders,
    },
    signingContext: () => Promise.reject(onlyRead()),
  }
  const auth: AuthScheme & { readonly [signerSymbol]: CarriedSigner } = Object.freeze({
    name: 'sigv4',
    covers,
    authorize() {
      throw onlyRead()
    },
    [signerSymbol]: Object.freeze(signer),
  })
  const { payloadHash, ...shown } = claim
  return { ...shown, problems, payloadHash: payloadHash ?? '', missingHeaders, auth }
}

/** Faults of a target that no server decodes. */
function targetProblems(path: string, query: string): string[] {
  const broken = /%(?![\da-f]{2}).{0,2}/i
  const found = broken.exec(path)?.[0] ?? broken.exec(query)?.[0]
  return found === undefined
    ? []
    : [`The URL has ${JSON.stringify(found)}, which is no escape: a percent sign itself is %25.`]
}

// A byte of UTF-8 may look like a blank to `String#trim`.
function trimBlanks(value: string): string {
  let end = value.length
  while (end > 0 && /[\t ]/.test(value.charAt(end - 1))) end -= 1
  return value.slice(0, end).replace(/^[\t ]+/, '')
}

function onlyRead(): AuthError {
  return new AuthError(
    'ERR_AUTH_HEADER',
    `${caller}: the request is signed already; its auth is for explain and diagnose`,
  )
}

/** Returns the last line of the canonical request. Only S3 is told it; others hash the body. */
async function payloadOf(
  { form, service, payloadHash }: Claim,
  headers: ReadonlyMap<string, string>,
  body: Uint8Array | undefined,
  engine: SigningEngine,
): Promise<string> {
  const told = payloadHash ?? headers.get('x-amz-content-sha256')
  if (told !== undefined) return told
  if (form === 'query' && isS3Service(service)) return unsignedPayload
  return body === undefined || body.byteLength === 0 ? emptyHash : engine.hash(body)
}

// The path as it came is what a server signs: `double` leaves no escape unread, and `s3` reads each once.
function signedPath(path: string, encoding: PathEncoding): string {
  if (encoding === 'verbatim') return path
  if (encoding === 's3') return uriEncode(path, '/')
  return uriEncode(withoutDotSegments(path).replaceAll('%', '%25'), '/')
}

// Every service but S3 removes them, and empty segments with them.
function withoutDotSegments(path: string): string {
  const kept: string[] = []
  for (const segment of path.split('/')) {
    if (segment === '..') kept.pop()
    else if (segment !== '' && segment !== '.') kept.push(segment)
  }
  const end = kept.length > 0 && /\/\.{0,2}$/.test(path) ? '/' : ''
  return `/${kept.join('/')}${end}`
}

async function sign(
  canonical: string,
  claim: Claim,
  secretAccessKey: string | undefined,
  engine: SigningEngine,
): Promise<Pick<SignedRequest, 'stringToSign' | 'signature'>> {
  const { amzDate, scope, accessKeyId, region, service, signature } = claim
  if (secretAccessKey === undefined || claim.algorithm !== algorithm) {
    const hash = await engine.hash(canonical)
    return { stringToSign: `${claim.algorithm}\n${amzDate}\n${scope}\n${hash}`, signature }
  }
  const [date = ''] = scope.split('/', 1)
  const signed = await createCanonicalSigner(engine)(
    canonical,
    { amzDate, scope: { date, region, service }, scopeText: scope },
    { accessKeyId, secretAccessKey },
  )
  return { stringToSign: signed.stringToSign, signature: signed.signature }
}
