/**
 * A way to authenticate a request: a token, a signature, or a choice between schemes.
 *
 * A scheme looks at a request that is about to be sent and says what to add to it. It never sends
 * the request itself and never modifies the caller's objects.
 *
 * @example
 * import type { AuthScheme } from '@svc/types'
 *
 * export const apiKey: AuthScheme = {
 *   name: 'api-key',
 *   covers: (url) => url.origin === 'https://search.example.com',
 *   authorize: () => ({ scheme: 'api-key', headers: [['x-api-key', 'key of the caller']] }),
 * }
 */
export interface AuthScheme {
  /** A short name for events and messages, such as `token` or `sigv4`. */
  readonly name: string
  /**
   * Returns `true` if its credentials may be sent to this URL. Called before every hop; `false` means
   * that nothing is ever added. On a redirect, `from` is the URL that it comes from.
   */
  covers(url: URL, from?: URL): boolean
  /**
   * Returns what it covers instead of a URL, and the options that say so, for the message of an error, such
   * as `https://search.example.com (set by baseUrl and origins)`. Shows no secret.
   */
  coverage?(url: URL): string
  /**
   * Headers that must not reach a URL that is not covered, also where the caller set them: names, or `prefix-*`.
   * Those that {@link authorize} adds are withheld anyway, as are `authorization`, `cookie` and
   * `proxy-authorization`.
   *
   * @default `[]`
   */
  readonly sensitiveHeaders?: readonly string[]
  /**
   * Returns the credential of this request. Called once per physical attempt, after everything else
   * that changes the request. Synchronous if possible.
   */
  authorize(request: OutgoingRequest): Authorization | Promise<Authorization>
  /**
   * Obtains in advance what such a request will need, so that a slow login does not count toward
   * the request's own timeout.
   */
  prepare?(request: {
    /** The method the request will have. */
    readonly method: string
    /** The URL it will be sent to. */
    readonly url: URL
    /** The caller's signal; an abort ends the wait. */
    readonly signal?: AbortSignal
  }): Promise<void>
}

/** A request that is about to be sent, read once from the caller's input. */
export interface OutgoingRequest {
  /** The method as it is sent. */
  readonly method: string
  /** The URL of this hop. Do not modify it: return the wire form as {@link Authorization.url}. */
  readonly url: URL
  /** The headers as the client will send them, including the body's `content-type`. */
  readonly headers: ReadonlyHeaders
  /** The body, or `undefined` if there is none. */
  readonly body: OutgoingBody | undefined
  /** The number of this physical attempt: 1, 2 … */
  readonly attempt: number
  /**
   * The reason of this attempt: `initial`, the caller's client asked for it; `redirect`, a response led
   * here; otherwise, what {@link Authorization.review} returned for the previous attempt.
   */
  readonly reason: 'initial' | 'redirect' | RetryReason
  /**
   * The head of the response to the attempt before, such as the challenge of a 401 or the redirect that led here.
   *
   * @default none: this is the first attempt
   */
  readonly previous?: ResponseHead
  /** The caller's signal. */
  readonly signal?: AbortSignal
}

/** Headers that can be read but not changed. A `Headers` object qualifies. */
export interface ReadonlyHeaders extends Iterable<[name: string, value: string]> {
  /** Returns the value (several are joined by `, `), or `null`. The name is case-insensitive. */
  get(name: string): string | null
  /** Returns `true` if there is such a header. The name is case-insensitive. */
  has(name: string): boolean
}

/** A body, serialized once: these methods return exactly what is sent. */
export interface OutgoingBody {
  /**
   * The length in bytes, if known without reading the body.
   *
   * @default unknown
   */
  readonly size?: number
  /** `true` if it can be read and sent more than once. */
  readonly replayable: boolean
  /**
   * `true` if {@link bytes} returns what is already in memory, as for text but not for a `Blob`.
   *
   * @default `false`
   */
  readonly inMemory?: boolean
  /**
   * The content type that the body itself determines, such as that of a form with its boundary.
   *
   * @default none
   */
  readonly contentType?: string
  /**
   * The text it was given as, which {@link bytes} returns encoded as UTF-8.
   *
   * @default none
   */
  readonly text?: string
  /** Returns the whole body, synchronously if it is in memory. Rejects if the body is not replayable. */
  bytes(): Uint8Array | Promise<Uint8Array>
  /**
   * Returns the body, chunk by chunk. Can be called only once if the body is not replayable. The iterator's
   * `return` ends the source immediately, even during a read.
   */
  chunks(): AsyncIterable<Uint8Array>
}

/** The credential of one request. */
export interface Authorization {
  /** The name of the scheme; a selector reports the scheme it chose. */
  readonly scheme: string
  /** Headers to set; `null` removes one. */
  readonly headers: readonly (readonly [name: string, value: string | null])[]
  /**
   * The URL in the form that was signed; every adapter sends it unchanged. It begins with the origin of the
   * request, as {@link OutgoingRequest.url} has it, and a slash.
   *
   * @default the URL of the request
   */
  readonly url?: string
  /**
   * Says that {@link url} is the request's own URL in another spelling, so that a request whose URL cannot be
   * changed may be sent as it stands: the error code of a service that then refuses the signature.
   *
   * @default none: such a request is not sent
   */
  readonly mismatchCode?: string
  /**
   * A body to send instead of the request's own, if signing wraps it. With a `size`, it is sent
   * with that length. If its chunks throw, the request fails with that error.
   *
   * @default the body of the request
   */
  readonly body?: OutgoingBody
  /**
   * Called with the head of the response. Returning a reason asks for one fresh authorization of
   * the same request.
   *
   * The closure is the lease: it knows which token or clock offset was used, so that the rejection
   * of an old one cannot discard a newer one.
   */
  review?(head: ResponseHead): RetryReason | undefined | Promise<RetryReason | undefined>
  /** Called instead if no response came: the request failed or was aborted. */
  abandon?(): void
}

/** The head of a response: a `Response` is one. */
export interface ResponseHead {
  /** The status code. */
  readonly status: number
  /** The response's headers. */
  readonly headers: ReadonlyHeaders
}

/**
 * The reason to replay a request: `rejected`, its credential was refused; `clock-skew`, it was signed
 * with a wrong clock; or a reason of your own scheme's.
 */
export type RetryReason = 'rejected' | 'clock-skew' | (string & {})

/**
 * A function that sends one HTTP request, as the global `fetch` does.
 *
 * `typeof fetch` is not used because some runtimes require more than the call (Bun's `preconnect`).
 *
 * @see https://fetch.spec.whatwg.org/#fetch-method
 */
export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>
