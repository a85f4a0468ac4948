/** Which requests a fault meets, and how often. */
export interface FaultMatch {
  /** The path as it stands on the request line, or a pattern for it. Absent: every path. */
  readonly path?: string | RegExp
  /** The method. Absent: every method. */
  readonly method?: string
  /**
   * How many requests it meets.
   * @default Number.POSITIVE_INFINITY
   */
  readonly times?: number
}

/** What a fault does; exactly one of these. */
export type FaultEffect =
  | {
      /** Answers with this status. */
      readonly status: number
      readonly headers?: Readonly<Record<string, string>>
      readonly body?: string | Uint8Array
    }
  | {
      /** Answers 200 with this body as it is, for answers that are malformed. */
      readonly body: string | Uint8Array
      readonly headers?: Readonly<Record<string, string>>
    }
  | {
      /** Waits so long, in real time, then goes on as usual. */
      readonly latencyMs: number
    }
  | {
      /** Closes the connection without an answer; in process, `fetch` rejects with a `TypeError`. */
      readonly drop: true
    }
  | {
      /** The server's clock is off by so much, for what it verifies and for the `Date` it sends. */
      readonly skewMs: number
    }
  | {
      /** Answers with a redirect; the status is 307 unless another is given. */
      readonly redirect: { readonly to: string | URL; readonly status?: number }
    }

/**
 * Something that goes wrong on purpose, ahead of authentication, as a proxy or a firewall would do
 * it.
 *
 * @example
 * emulator.fault({ path: '/user/groups', times: 1, status: 503, headers: { 'retry-after': '2' } })
 */
export type Fault = FaultMatch & FaultEffect
