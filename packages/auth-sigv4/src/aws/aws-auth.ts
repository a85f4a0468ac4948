/**
 * Signs requests to AWS: service and region are read from the host.
 *
 * @module @svc/auth-sigv4/aws
 */
import { environmentKey } from '#aws-environment'
import {
  chain,
  checkOptions,
  type MaybePromise,
  type OptionNames,
  uncovered,
} from '@svc/auth-hooks/scheme'
import type { Authorization, AuthScheme, OutgoingRequest } from '@svc/types'
import { isS3Service } from '../canonical-request.ts'
import { type CarriedSigner, signerSymbol } from '../carried-signer.ts'
import type { ApiKeyProvider } from '../credentials.ts'
import { requestError, type RequestLine } from '../request-error.ts'
import { shareSigning, type Signing, type SigV4AuthOptions } from '../sigv4-auth.ts'
import { bucketScope, staysAtHome } from './redirects.ts'
import { type AwsService, describeScopes, readScopes, type Scope } from './scopes.ts'

export type { AwsService } from './scopes.ts'

/** Options of {@link createAwsAuth}. */
export interface AwsAuthOptions extends Pick<
  SigV4AuthOptions,
  'payload' | 'signHeaders' | 'engine' | 'clock' | 'onEvent'
> {
  /**
   * The access key and its secret, or a function that returns them, such as a provider of the AWS SDK.
   *
   * @default `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN` of the environment
   */
  credentials?: ApiKeyProvider | undefined
  /**
   * The region of hosts that name none, such as `bucket.s3.amazonaws.com`. It does not replace that of a host.
   *
   * @default `us-east-1` for the buckets of S3, whose own region is then asked for; none for any other host
   */
  region?: string | undefined
  /**
   * Service and region by origin, for hosts that do not name them, such as a domain of your own; `https://*.example.com`
   * stands for one label. They count before what the host says. An origin that is none of AWS must be in `origins`, too.
   *
   * @default `{}`
   */
  services?: Readonly<Record<string, AwsService>> | undefined
  /**
   * Origins that requests may be signed for besides the https hosts below `amazonaws.com`, `amazonaws.com.cn`,
   * `api.aws` and `on.aws`; `https://*.example.com` covers one label.
   *
   * @default `[]`
   */
  origins?: readonly string[] | undefined
}

const optionNames: OptionNames<AwsAuthOptions> = {
  credentials: 'accessKeyId secretAccessKey accessKey secretKey sessionToken apiKey key',
  region: '',
  services: 'service',
  origins: 'origin baseUrl endpoint',
  payload: '',
  signHeaders: 'signedHeaders',
  engine: '',
  clock: 'now systemClockOffset',
  onEvent: 'onEvents',
}

const caller = '[@svc/auth-sigv4/aws] createAwsAuth'

/** The number of services and regions whose derived keys are kept: more than a program has, unless others name hosts. */
const maxScopes = 100

/**
 * Signs requests to any service of AWS with Signature Version 4, for the service and the region that the host names. It
 * covers https hosts of AWS that name both, and `origins`; a redirect is followed on the host, or to the same bucket of
 * S3 in another region, and nowhere else.
 *
 * @throws TypeError at construction, if an option is invalid, or there is no key; the message names it.
 * @throws AuthError from `authorize`: `ERR_AUTH_ORIGIN` for a host that is not covered, or whose service and region
 * cannot be read, `ERR_AUTH_REDIRECT` for a redirect to another host, and what `createSigV4Auth` has.
 * @example
 * import { authFetch } from '@svc/auth-sigv4'
 * import { createAwsAuth } from '@svc/auth-sigv4/aws'
 *
 * const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'EXAMPLEKEY' }
 * const aws = authFetch(createAwsAuth({ credentials }))
 * const response = await aws('https://examplebucket.s3.eu-central-1.amazonaws.com/report.csv')
 * console.log(await response.text())
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export function createAwsAuth(options: AwsAuthOptions = {}): AuthScheme {
  const checked = checkOptions(options, caller, optionNames)
  const { origins = [], credentials = environmentKey(caller) } = checked
  const scopeOf = readScopes(checked, caller)
  const createSigning = shareSigning({ ...checked, credentials }, caller)
  const signings = new Map<string, Signing>()
  /** URLs of redirects that may be followed, until they are requested. */
  const allowed = new WeakSet<URL>()

  const signingFor = ({ service, region }: Scope): Signing => {
    const key = `${region}/${service}`
    const known = signings.get(key)
    if (known) return known
    const signing = createSigning({
      region,
      service,
      pathEncoding: isS3Service(service) ? 's3' : 'double',
      repeatedParameters: 'by-value',
    })
    if (signings.size >= maxScopes) signings.clear()
    signings.set(key, signing)
    return signing
  }

  const scopeFor = (request: RequestLine): Scope => {
    const scope = scopeOf(request.url)
    if (scope) return scope
    const problem = ` ${uncovered(auth, request.url)}`
    throw requestError('ERR_AUTH_ORIGIN', request, problem)
  }

  const authorize = (request: OutgoingRequest): MaybePromise<Authorization> => {
    const { url, reason, previous } = request
    const scope = scopeFor(request)
    // A caller of `covers` that does not give the URL that redirects here does not know the rule for redirects.
    if (reason === 'redirect' && !allowed.has(url)) {
      const problem = ' is the target of a redirect'
      throw requestError('ERR_AUTH_REDIRECT', request, problem)
    }
    const moved = reason === 'bucket-region' && previous ? bucketScope(scope, previous) : undefined
    const signed = moved ?? scope
    return chain(signingFor(signed).authorize(request), (authorization) => ({
      ...authorization,
      review: (head) =>
        bucketScope(signed, head) ? 'bucket-region' : authorization.review?.(head),
    }))
  }

  const auth: AuthScheme & Record<typeof signerSymbol, unknown> = {
    name: 'aws',
    sensitiveHeaders: Object.freeze(['x-amz-*']),
    covers(url, from) {
      if (!scopeOf(url) || (from && !staysAtHome(from, url))) return false
      if (from) allowed.add(url)
      return true
    },
    coverage: (url) => describeScopes(url, origins),
    authorize,
    prepare: async (request) => signingFor(scopeFor(request)).prepare(),
    [signerSymbol](method: string, url: URL): CarriedSigner {
      const { signer } = signingFor(scopeFor({ method, url }))
      return { ...signer, covers: (target) => scopeOf(target) !== undefined }
    },
  }
  return Object.freeze(auth)
}
