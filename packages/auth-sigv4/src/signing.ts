import { defaultEngine } from '#default-engine'
import {
  chain,
  check,
  checkFunctions,
  emit,
  isHttpToken,
  type MaybePromise,
} from '@svc/auth-hooks/scheme'
import type { AuthEvent, Authorization, OutgoingRequest } from '@svc/types'
import { unsignedPayload } from './canonical-request.ts'
import type { CarriedSigner } from './carried-signer.ts'
import { createServiceClocks, signingDates } from './clock.ts'
import { type ApiKeyProvider, credentialSource } from './credentials.ts'
import type { SigningEngine } from './engines/engine.ts'
import { createCanonicalSigner, createSigner, type SignerSettings } from './signer.ts'

/** The options that all signatures of a scheme share, whatever their service and region. */
interface SharedOptions {
  readonly credentials: ApiKeyProvider | undefined
  readonly payload?: SignerSettings['payload'] | undefined
  readonly signHeaders?: readonly string[] | undefined
  readonly engine?: SigningEngine | undefined
  readonly clock?: (() => number) | undefined
  readonly onEvent?: ((event: AuthEvent) => void) | undefined
}

/** What the options say of all signatures. */
type Settings = Pick<SignerSettings, 'payload' | 'signHeaders' | 'engine'>

/** What signs for one service in one region. Its derived keys are its own. */
export interface Signing {
  readonly authorize: (request: OutgoingRequest) => MaybePromise<Authorization>
  readonly prepare: () => Promise<void>
  readonly signer: Omit<CarriedSigner, 'covers'>
}

/**
 * Returns the function that makes what signs for one service in one region: all have one source of the key, and one
 * clock for each origin.
 *
 * @throws TypeError naming the option that is wrong.
 */
export function shareSigning(
  options: SharedOptions,
  caller: string,
): (scope: Omit<SignerSettings, keyof Settings>) => Signing {
  const { clock = Date.now, onEvent } = options
  checkFunctions({ clock, onEvent }, caller)
  const currentKey = credentialSource(options.credentials, clock, caller)
  const settings = readSettings(options, caller)
  const serviceClocks = createServiceClocks(clock, (server, offsetMs) =>
    emit(onEvent, () => ({
      type: 'clock.adjusted',
      scheme: 'sigv4',
      origin: server,
      offsetMs,
    })),
  )

  const { payload, engine } = settings
  return (scope) => {
    const { service, pathEncoding, repeatedParameters } = scope
    const signCanonical = createCanonicalSigner(engine)
    const sign = createSigner({ ...scope, ...settings }, signCanonical)
    const dateOf = signingDates(scope.region, service)

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
      service,
      pathEncoding,
      repeatedParameters,
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
          sign: (canonicalRequest) => signCanonical(canonicalRequest, date, apiKey),
        }
      },
    }

    return {
      authorize,
      async prepare() {
        await currentKey()
      },
      signer,
    }
  }
}

function readSettings(options: SharedOptions, caller: string): Settings {
  const { payload = 'auto', signHeaders = [], engine = defaultEngine() } = options
  check(
    typeof payload === 'object'
      ? typeof payload?.wrap === 'function'
      : ['auto', 'signed', 'unsigned'].includes(payload),
    caller,
    "payload must be 'auto', 'signed', 'unsigned' or the result of streaming()",
  )
  check(
    Array.isArray(signHeaders) && signHeaders.every(isHttpToken),
    caller,
    'signHeaders must be an array of header names',
  )
  check(
    (['hash', 'deriveKey', 'sign'] as const).every((part) => typeof engine[part] === 'function'),
    caller,
    'engine must be a SigningEngine with hash, deriveKey and sign',
  )
  return { payload, signHeaders, engine }
}

/** Returns a part of a credential scope, checked. */
export function scopePart(caller: string, option: string, example: string, value: unknown): string {
  check(
    typeof value === 'string' && /^[\w.-]+$/.test(value),
    caller,
    `${option} must be a name such as ${example}, with only letters, digits, -, . and _`,
  )
  return value
}
