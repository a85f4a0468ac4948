import { defaultEngine } from '#default-engine'
import {
  chain,
  check,
  checkFunctions,
  checkOptions,
  describeOrigins,
  emit,
  isHttpToken,
  matchOrigins,
  type MaybePromise,
  type OptionNames,
  parseBaseUrl,
} from '@svc/auth-hooks/scheme'
import type { AuthEvent, Authorization, AuthScheme, OutgoingRequest } from '@svc/types'
import type { RepeatedParameters } from './canonical-query.ts'
import { isS3Service, type PathEncoding, unsignedPayload } from './canonical-request.ts'
import { baseSymbol, type CarriedSigner, signerSymbol } from './carried-signer.ts'
import { createServiceClocks, signingDates } from './clock.ts'
import { type ApiKeyProvider, credentialSource } from './credentials.ts'
import type { SigningEngine } from './engines/engine.ts'
import type { PayloadPolicy, StreamingPayload } from './payload.ts'
import { createCanonicalSigner, createSigner, type SignerSettings } from './signer.ts'

/** Options of {@link createSigV4Auth}. */
export interface SigV4AuthOptions {
  /** The environment's base URL. Signed requests go to its origin. */
  baseUrl: string | URL
  /**
   * More origins that requests may be signed for; `https://*.example.com` covers one label.
   *
   * @default `[]`
   */
  origins?: readonly string[] | undefined
  /** The environment's region, as in the credential scope, such as `us-east-1`. */
  region: string
  /**
   * The service name in the credential scope.
   *
   * @default `'s3'`
   */
  service?: string | undefined
  /** The access key and its secret, or a function that returns them; see {@link ApiKeyProvider}. */
  credentials: ApiKeyProvider
  /**
   * The way in which a body is signed, see {@link PayloadPolicy}; `streaming()` of `@svc/auth-sigv4/streaming` sends
   * signed chunks. A `Blob` over 64 MiB counts as a stream if the engine cannot hash in pieces (WebCrypto).
   *
   * @default `'auto'`
   */
  payload?: PayloadPolicy | StreamingPayload | undefined
  /**
   * Headers to sign in addition to `host`, `content-type`, `content-md5`, `range`, `if-*` and `x-amz-*`.
   *
   * @default `[]`
   */
  signHeaders?: readonly string[] | undefined
  /**
   * The form in which the path is signed and sent; see {@link PathEncoding}.
   *
   * @default `'s3'` for the service `s3` and its kin (`s3express`, `s3-outposts`, `s3-object-lambda`), `'double'`
   * for any other
   */
  pathEncoding?: PathEncoding | undefined
  /**
   * The order in which repeated values of a parameter are signed: sorted by value, as the specification
   * says, or that of the URL, as MinIO and Ceph do. They are sent in their original order.
   *
   * @default `'by-value'`
   */
  repeatedParameters?: RepeatedParameters | undefined
  /**
   * Computes hashes and signatures.
   *
   * @default `nativeEngine()` on Node, Bun and Deno, `webCryptoEngine()` elsewhere
   */
  engine?: SigningEngine | undefined
  /**
   * The time, in epoch milliseconds.
   *
   * @default `Date.now`
   */
  clock?: (() => number) | undefined
  /**
   * Receives `signed` for every signature and `clock.adjusted` for every correction of the clock. Errors it
   * throws are ignored.
   *
   * @default none
   */
  onEvent?: ((event: AuthEvent) => void) | undefined
}

const optionNames: OptionNames<SigV4AuthOptions> = {
  baseUrl: 'endpoint host url',
  origins: 'origin',
  region: '',
  service: '',
  credentials: 'accessKeyId secretAccessKey accessKey secretKey sessionToken apiKey key',
  payload: '',
  signHeaders: 'signedHeaders',
  pathEncoding: 'uriEscapePath',
  repeatedParameters: '',
  engine: '',
  clock: 'now systemClockOffset',
  onEvent: 'onEvents',
}

/** A scheme that signs requests, for `authFetch`, `authKy` and the adapters of other clients. */
export type SigV4Auth = AuthScheme

const caller = '[@svc/auth-sigv4] createSigV4Auth'

/**
 * Signs requests with AWS Signature Version 4: one canonical form is signed and sent, an allowlist of
 * headers is signed, and the body that is hashed is the body that is sent.
 *
 * @throws TypeError at construction, if an option is invalid; the message names it.
 * @throws AuthError from `authorize`: `ERR_AUTH_URL` for a path with a dot segment or a URL that is
 * already presigned, `ERR_AUTH_HEADER` for a request with an `authorization` header, `ERR_AUTH_BODY` for a
 * stream or a Blob that cannot be signed, `ERR_AUTH_CREDENTIALS` if the credentials function returns no
 * usable key, `ERR_AUTH_CRYPTO` if the engine is WebCrypto and the page has none.
 * @example
 * import { authFetch, createSigV4Auth } from '@svc/auth-sigv4'
 *
 * const baseUrl = 'https://search.example.com'
 * const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'EXAMPLEKEY' }
 * const auth = createSigV4Auth({ baseUrl, region: 'us-east-1', credentials })
 * const serviceFetch = authFetch(auth, { baseUrl })
 * const response = await serviceFetch('/V1/report.csv')
 * console.log(await response.text())
 * @see Interface of the service, section 5.2
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 */
export function createSigV4Auth(options: SigV4AuthOptions): SigV4Auth {
  const hint = '; a URL is presigned by presign of @svc/auth-sigv4/presign'
  const checked = checkOptions(options, caller, optionNames, hint)
  const { origin, href: base } = parseBaseUrl(checked.baseUrl, caller)
  const { origins = [], repeatedParameters = 'by-value' } = checked
  const isListed = matchOrigins(origins, caller, 'origins')
  const covers = (url: URL): boolean => url.origin === origin || isListed(url)
  const coverage = (): string => describeOrigins({ origin }, origins)
  const region = scopePart(caller, 'region', 'us-east-1', checked.region)
  const service = scopePart(caller, 'service', 's3', checked.service ?? 's3')
  const pathEncoding = checked.pathEncoding ?? (isS3Service(service) ? 's3' : 'double')
  checkOneOf('repeatedParameters', repeatedParameters, ['by-value', 'wire-order'])
  checkOneOf('pathEncoding', pathEncoding, ['s3', 'double', 'verbatim'])
  const scope = { region, service, pathEncoding, repeatedParameters }
  const { authorize, prepare, signer } = shareSigning(checked, caller)(scope)

  return Object.freeze({
    name: 'sigv4',
    sensitiveHeaders: Object.freeze(['x-amz-*']),
    covers,
    coverage,
    authorize,
    prepare,
    [signerSymbol]: Object.freeze({ ...signer, covers }),
    [baseSymbol]: [base, ...origins].join(),
  })
}

/** The options that all signatures of a scheme share, whatever their service and region. */
type SharedOptions = Omit<SigV4AuthOptions, 'baseUrl' | 'region'>

type Settings = Pick<SignerSettings, 'payload' | 'signHeaders' | 'engine'>

/** What signs for one service in one region. Its derived keys are its own. */
export interface Signing {
  readonly authorize: (request: OutgoingRequest) => MaybePromise<Authorization>
  readonly prepare: () => Promise<void>
  readonly signer: Omit<CarriedSigner, 'covers'>
}

/** Returns what makes a {@link Signing}: all of them have one source of the key, and one clock for each origin. */
export function shareSigning(
  options: SharedOptions,
  prefix: string,
): (scope: Omit<SignerSettings, keyof Settings>) => Signing {
  const { clock = Date.now, onEvent } = options
  checkFunctions({ clock, onEvent }, prefix)
  const currentKey = credentialSource(options.credentials, clock, prefix)
  const settings = readSettings(options, prefix)
  const serviceClocks = createServiceClocks(clock, (server, offsetMs) =>
    emit(onEvent, () => ({ type: 'clock.adjusted', scheme: 'sigv4', origin: server, offsetMs })),
  )
  const { payload, engine } = settings

  return (scope) => {
    const signCanonical = createCanonicalSigner(engine)
    const sign = createSigner({ ...scope, ...settings }, signCanonical)
    const dateOf = signingDates(scope.region, scope.service)

    const authorize = (request: OutgoingRequest): MaybePromise<Authorization> =>
      chain(currentKey(), (apiKey) => {
        const { at, review } = serviceClocks.timeFor(request)
        return chain(sign(request, apiKey, dateOf(at)), (signed) => {
          const { signedHeaders, url, body } = signed
          emit(onEvent, () => ({
            type: 'signed',
            scheme: 'sigv4',
            origin: request.url.origin,
            method: request.method,
            signedHeaders,
          }))
          const { href } = request.url
          const authorization = {
            scheme: 'sigv4',
            // Without spare capacity, nor a second text of the same URL: this object lives until the response.
            headers: signed.headers.slice(),
            url: url === href ? href : url,
            mismatchCode: 'SignatureDoesNotMatch',
            review,
          }
          return body ? { ...authorization, body } : authorization
        })
      })

    const signer: Signing['signer'] = {
      ...scope,
      async signRequest(request, at = serviceClocks.now(request.url)) {
        return sign(request, await currentKey(), dateOf(at))
      },
      hashPayload: (bytes) => (payload === 'unsigned' ? unsignedPayload : engine.hash(bytes)),
      async signingContext(url) {
        const apiKey = await currentKey()
        const date = dateOf(serviceClocks.now(url))
        return {
          accessKeyId: apiKey.accessKeyId,
          sessionToken: apiKey.sessionToken,
          date,
          sign: (canonicalRequest, at = date) => signCanonical(canonicalRequest, at, apiKey),
        }
      },
    }

    const prepare = async (): Promise<void> => void (await currentKey())
    return { authorize, prepare, signer }
  }
}

function readSettings(options: SharedOptions, prefix: string): Settings {
  const { payload = 'auto', signHeaders = [], engine = defaultEngine() } = options
  check(
    typeof payload === 'object'
      ? typeof payload?.wrap === 'function'
      : ['auto', 'signed', 'unsigned'].includes(payload),
    prefix,
    "payload must be 'auto', 'signed', 'unsigned' or the result of streaming()",
  )
  check(
    Array.isArray(signHeaders) && signHeaders.every(isHttpToken),
    prefix,
    'signHeaders must be an array of header names',
  )
  check(
    (['hash', 'deriveKey', 'sign'] as const).every((part) => typeof engine[part] === 'function'),
    prefix,
    'engine must be a SigningEngine with hash, deriveKey and sign',
  )
  return { payload, signHeaders, engine }
}

export function scopePart(prefix: string, option: string, example: string, value: unknown): string {
  check(
    typeof value === 'string' && /^[\w.-]+$/.test(value),
    prefix,
    `${option} must be a name such as ${example}, with only letters, digits, -, . and _`,
  )
  return value
}

function checkOneOf(option: string, value: string, values: readonly string[]): void {
  check(values.includes(value), caller, `${option} must be one of ${values.join(', ')}`)
}
