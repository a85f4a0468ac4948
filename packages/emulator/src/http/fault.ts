/** Which requests a fault applies to, and how often. */
export interface FaultMatch {
  /**
   * The path exactly as on the request line, or a pattern for it.
   * @default every path
   */
  readonly path?: string | RegExp
  /**
   * The method, in any case.
   * @default every method
   */
  readonly method?: string
  /**
   * How many matching requests it applies to: a positive integer.
   * @default all of them
   */
  readonly times?: number
}

/** What a fault does; exactly one of these. */
export type FaultEffect =
  | {
      /** Answers with this status. */
      readonly status: number
      /**
       * Headers of the answer, by name.
       * @default none
       */
      readonly headers?: Readonly<Record<string, string>>
      /**
       * The body of the answer.
       * @default empty
       */
      readonly body?: string | Uint8Array
    }
  | {
      /** Answers 200 with exactly this body, to send malformed answers. */
      readonly body: string | Uint8Array
      /**
       * Headers of the answer, by name.
       * @default none
       */
      readonly headers?: Readonly<Record<string, string>>
    }
  | {
      /** Waits this many milliseconds, in real time, then continues as usual. */
      readonly latencyMs: number
    }
  | {
      /** Closes the connection without an answer; in process, `fetch` rejects with a `TypeError`. */
      readonly drop: true
    }
  | {
      /** Puts the server's clock ahead by this many milliseconds, for what it verifies and for `Date`. */
      readonly skewMs: number
    }
  | {
      /** Answers with a redirect. */
      readonly redirect: {
        /** The `location` of the answer. */
        readonly to: string | URL
        /**
         * The status of the answer.
         * @default `307`
         */
        readonly status?: number
      }
    }

/**
 * Something that goes wrong on purpose, before authentication, as a proxy or a firewall would cause
 * it.
 *
 * @example
 * import { createEmulator, type Fault } from '@svc/emulator'
 *
 * const busy: Fault = { path: '/user/groups', times: 1, status: 503, headers: { 'retry-after': '2' } }
 * createEmulator().fault(busy)
 */
export type Fault = FaultMatch & FaultEffect
