/**
 * A way to authenticate a request: a token, a signature, or a choice between schemes.
 *
 * A scheme looks at a request that is about to leave and says what to add to it. It never sends the
 * request itself and never touches the caller's objects.
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
   * Whether its credentials may travel to this URL. Asked before every hop; `false` means that
   * nothing is ever added.
   */
  covers(url: URL): boolean
  /**
   * What authenticates this request. Called once for every physical attempt, after everything else
   * that changes the request. Synchronous where it can be.
   */
  authorize(request: OutgoingRequest): Authorization | Promise<Authorization>
  /**
   * Obtains what such a request will need ahead of time, so that a slow login is not charged to the
   * request's own timeout.
   */
  prepare?(request: {
    /** The method that the request will have. */
    readonly method: string
    /** The URL that it will go to. */
    readonly url: URL
    /** The caller's signal; an abort ends the wait. */
    readonly signal?: AbortSignal
  }): Promise<void>
}

/** A request that is about to leave, read once from what the caller gave. */
export interface OutgoingRequest {
  /** The method as it is sent. */
  readonly method: string
  /** The URL of this hop. Not to be changed; the wire form goes into {@link Authorization.url}. */
  readonly url: URL
  /** The headers as the client will send them, `content-type` of the body included. */
  readonly headers: ReadonlyHeaders
  /** The body, or `undefined` where there is none. */
  readonly body: OutgoingBody | undefined
  /** The number of this physical attempt: 1, 2 … */
  readonly attempt: number
  /**
   * Why this attempt is made: `initial`, the caller's client asked for it; `redirect`, a response led
   * here; else what {@link Authorization.review} said of the attempt before.
   */
  readonly reason: 'initial' | 'redirect' | RetryReason
  /** The caller's signal. */
  readonly signal?: AbortSignal
}

/** Headers that can be read and not changed. A `Headers` is one. */
export interface ReadonlyHeaders extends Iterable<[name: string, value: string]> {
  /** The value, several joined by `, `, or `null`. The name is matched in any case. */
  get(name: string): string | null
  /** Whether there is such a header. The name is matched in any case. */
  has(name: string): boolean
}

/** A body, serialised once: what these methods give is what is sent. */
export interface OutgoingBody {
  /**
   * The length in bytes, where it is known without reading the body.
   *
   * @default not known
   */
  readonly size?: number
  /** Whether it can be read and sent more than once. */
  readonly replayable: boolean
  /**
   * Whether {@link bytes} gives what is held in memory already, as of a text and not of a `Blob`.
   *
   * @default `false`
   */
  readonly inMemory?: boolean
  /**
   * The content type that the body itself brings, such as the boundary of a form.
   *
   * @default none
   */
  readonly contentType?: string
  /**
   * The text that it was given as, which {@link bytes} gives in UTF-8.
   *
   * @default none
   */
  readonly text?: string
  /** All of it, at once where it is already in memory. Rejects where the body is not replayable. */
  bytes(): Uint8Array | Promise<Uint8Array>
  /**
   * Piece by piece. Only once where the body is not replayable. The iterator's `return` ends the
   * source at once, a read that is under way included.
   */
  chunks(): AsyncIterable<Uint8Array>
}

/** What authenticates one request. */
export interface Authorization {
  /** The name of the scheme; a selector reports the scheme that it chose. */
  readonly scheme: string
  /** Headers to set; `null` removes one. */
  readonly headers: readonly (readonly [name: string, value: string | null])[]
  /**
   * The URL in the form that was signed; every adapter sends it as it stands.
   *
   * @default the URL of the request
   */
  readonly url?: string
  /**
   * A body to send in place of the request's own, where signing wraps it. One that has a `size` is
   * sent with that length, and what its chunks throw is what the request fails with.
   *
   * @default the body of the request
   */
  readonly body?: OutgoingBody
  /**
   * Sees the head of the response. A reason asks for one fresh authorization of the same request.
   *
   * The closure is the lease: it knows which token or which clock offset was used, so that the
   * rejection of an old one cannot throw away a newer one.
   */
  review?(head: ResponseHead): RetryReason | undefined | Promise<RetryReason | undefined>
  /** Is told instead where no response came: the request failed or was aborted. */
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
 * Why a request is sent once more: `rejected`, its credential was refused; `clock-skew`, it was signed by
 * a clock that is off; or what a scheme of your own calls it.
 */
export type RetryReason = 'rejected' | 'clock-skew' | (string & {})
