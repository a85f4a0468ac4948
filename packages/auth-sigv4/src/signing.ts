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
import { createServiceClocks, type ServiceClocks, signingDates } from './clock.ts'
import { type ApiKey, type ApiKeyProvider, credentialSource } from './credentials.ts'
import { createCanonicalSigner, createSigner, type SignerSettings } from './signer.ts'

/** What all signatures of a scheme share, whatever their scope. */
export interface SharedSigning {
  readonly currentKey: () => MaybePromise<ApiKey>
  readonly serviceClocks: ServiceClocks
  readonly onEvent: ((event: AuthEvent) => void) | undefined
}

/** The options that all signatures share. */
interface SharedOptions {
  readonly credentials: ApiKeyProvider | undefined
  readonly clock?: (() => number) | undefined
  readonly onEvent?: ((event: AuthEvent) => void) | undefined
}

/** Reads the options that all signatures share: one source of the key, and one clock for each origin. */
export function shareSigning(
  { credentials, clock = Date.now, onEvent }: SharedOptions,
  caller: string,
): SharedSigning {
  checkFunctions({ clock, onEvent }, caller)
  return {
    currentKey: credentialSource(credentials, clock, caller),
    serviceClocks: createServiceClocks(clock, (server, offsetMs) =>
      emit(onEvent, () => ({
        type: 'clock.adjusted',
        scheme: 'sigv4',
        origin: server,
        offsetMs,
      })),
    ),
    onEvent,
  }
}

/** Signatures of one scope: of a service in a region. */
export interface Signing {
  readonly authorize: (request: OutgoingRequest) => MaybePromise<Authorization>
  readonly signer: Omit<CarriedSigner, 'covers'>
}

/** Returns what signs for one service in one region. Its derived keys are its own. */
export function createSigning(
  settings: SignerSettings,
  { currentKey, serviceClocks, onEvent }: SharedSigning,
): Signing {
  const signCanonical = createCanonicalSigner(settings.engine)
  const sign = createSigner(settings, signCanonical)
  const dateOf = signingDates(settings.region, settings.service)

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

  const { service, pathEncoding, repeatedParameters, payload, engine } = settings
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

  return { authorize, signer }
}

/** The settings that do not depend on the service. */
type CommonSettings = Pick<SignerSettings, 'payload' | 'signHeaders' | 'engine'>

/** Checks the options of signatures for whatever service. */
export function readSigningOptions(
  options: { readonly [Name in keyof CommonSettings]?: CommonSettings[Name] | undefined },
  caller: string,
): CommonSettings {
  const { payload = 'auto', signHeaders = [] } = options
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
  const engine = options.engine ?? defaultEngine()
  const parts = ['hash', 'deriveKey', 'sign'] as const
  check(
    parts.every((part) => typeof engine[part] === 'function'),
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
