import { check, documentBaseUrl, type MaybePromise, uncovered } from '@svc/auth-hooks/scheme'
import type { AuthScheme, OutgoingRequest } from '@svc/types'
import type { PathEncoding } from './canonical-request.ts'
import type { RepeatedParameters } from './canonical-query.ts'
import type { SigningDate } from './clock.ts'
import { requestError, type RequestLine } from './request-error.ts'
import type { Signature, SignedRequest } from './signer.ts'

/**
 * The name under which a scheme carries its signer, and a selector a function from method and URL to the
 * chosen scheme's. A registered symbol survives a spread, a `Proxy` and a second copy of this package; its
 * number counts the versions of {@link CarriedSigner}.
 */
export const signerSymbol: unique symbol = Symbol.for('svc-auth.signer.1')

/** The name under which a scheme or a selector carries its base URL, as text, for the same entries. */
export const baseSymbol: unique symbol = Symbol.for('svc-auth.base.1')

/** The signer of a scheme, for the entries that do more than a scheme does. It shows no secret when inspected. */
export interface CarriedSigner {
  readonly service: string
  readonly pathEncoding: PathEncoding
  readonly repeatedParameters: RepeatedParameters
  /** Tells if requests to this URL may be signed. */
  readonly covers: (url: URL) => boolean
  /**
   * Signs a request as `authorize` does, and gives every step.
   *
   * @param at - The instant of the signature; by default now, by the clock of the URL's origin as far as it is known.
   * @throws AuthError as `authorize` does.
   */
  readonly signRequest: (request: OutgoingRequest, at?: number) => Promise<SignedRequest>
  /** Hashes a body by the scheme's `payload` option; `UNSIGNED-PAYLOAD` where that says so. */
  readonly hashPayload: (bytes: Uint8Array) => MaybePromise<string>
  /** Returns what a signature of this moment for a URL needs besides the canonical request. */
  readonly signingContext: (url: URL) => Promise<SigningContext>
  /** The signature that the request bears, where `readSignature` read it: somebody else may have made it. */
  readonly borne?: {
    readonly signature: string
    /** `true` if `signRequest` computes one to compare it with, which it cannot without the secret. */
    readonly isComparable: boolean
    /** The headers that it covers, and the request lacks. */
    readonly missingHeaders: readonly string[]
  }
}

/** A key and a date to sign a canonical request with. */
export interface SigningContext {
  readonly accessKeyId: string
  readonly sessionToken: string | undefined
  readonly date: SigningDate
  /** Signs a canonical request, for {@link date} unless another is given. */
  readonly sign: (canonicalRequest: string, at?: SigningDate) => MaybePromise<Signature>
}

/**
 * Returns a function that returns the signer of a request: the one that a scheme carries, or that of the
 * scheme that a selector chooses. It covers what both of them cover, since a copy of a scheme may cover less,
 * and signs nothing else: such a request is an `ERR_AUTH_ORIGIN`.
 *
 * @throws TypeError naming the scheme, where it carries none; the function throws one where a selector chooses
 * such a scheme.
 */
export function signerOf(
  auth: unknown,
  caller: string,
): (method: string, url: URL) => CarriedSigner {
  const carried: unknown = isObject(auth) ? Reflect.get(auth, signerSymbol) : undefined
  check(
    (isSigner(carried) || typeof carried === 'function') && isScheme(auth),
    caller,
    `auth must be what createSigV4Auth returns, or a selector that chooses it, not ${nameOf(auth)}`,
  )
  return (method, url) => {
    const signer: unknown =
      typeof carried === 'function' ? Reflect.apply(carried, undefined, [method, url]) : carried
    check(
      isSigner(signer),
      caller,
      `auth must sign the request, but ${nameOf(auth)} chose no signature for ${method} ${url.origin}${url.pathname}; ` +
        `of a request with a token, or without a credential, there is nothing to ${caller.replace(/.* /, '')}`,
    )
    const covers = (target: URL): boolean => signer.covers(target) && auth.covers(target)
    const assertCovered = (request: RequestLine): void => {
      if (covers(request.url)) return
      const problem = ` ${uncovered(auth, request.url)}; nothing was signed`
      throw requestError('ERR_AUTH_ORIGIN', request, problem)
    }
    return {
      ...signer,
      covers,
      async signRequest(request, at) {
        assertCovered(request)
        return signer.signRequest(request, at)
      },
      async signingContext(target) {
        assertCovered({ method, url: target })
        return signer.signingContext(target)
      },
    }
  }
}

/**
 * Returns a path as a URL below the base of a scheme or a selector that has only one, as `authFetch` joins them. Any
 * other input is returned as it is, and so is one that a page resolves to a URL that the scheme covers.
 */
export function withBase<Input>(auth: AuthScheme, input: Input): Input | string {
  const isRelative =
    typeof input === 'string' && /^[\0- ]*(?![a-z][a-z\d+.-]*:)[^\0- ]/i.test(input)
  const page = documentBaseUrl()
  if (!isRelative || (URL.canParse(input, page) && auth.covers(new URL(input, page)))) return input
  const base: unknown = Reflect.get(auth, baseSymbol)
  // Neither a list of several nor a pattern for sub-domains says where a request goes.
  if (typeof base !== 'string' || /[*,]/.test(base)) return input
  return base.replace(/\/*$/, '/') + input.replace(/^[\0- /\\]*/, '')
}

function isScheme(auth: unknown): auth is AuthScheme {
  return isObject(auth) && typeof Reflect.get(auth, 'covers') === 'function'
}

function isSigner(value: unknown): value is CarriedSigner {
  const methods = ['covers', 'signRequest', 'signingContext']
  return isObject(value) && methods.every((name) => typeof Reflect.get(value, name) === 'function')
}

function nameOf(auth: unknown): string {
  const name: unknown = isObject(auth) && Reflect.get(auth, 'name')
  if (typeof name === 'string') return `the scheme ${JSON.stringify(name)}`
  return auth === null ? 'null' : typeof auth
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
