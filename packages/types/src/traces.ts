/** The part that the traces of logins and requests share. Contains no secrets: no token, key, query, header or body. */
export interface AuthTrace {
  /** Tells this trace from all others, such as that of the login that a request waits for. */
  readonly id: string
  /** The name of the scheme: for a request, of the one that authenticated the last attempt. */
  readonly scheme: string
  /** The origin that it is sent to: for a request, that of its first attempt. */
  readonly origin: string
  /** The time from `start` to `asyncEnd`, in milliseconds; absent until it is over. */
  readonly durationMs?: number
  /** The status of the last response, if there was one. For a login, only if it refused. */
  readonly status?: number
  /** The code of the error that ended it: an `AuthErrorCode`, or that of a failed connection, such as `ECONNRESET`. */
  readonly code?: string
  /**
   * Calls its function, once and at once: a subscriber of `start` may set it, to run the traced call in a context
   * of its own, and calls the one that was there. If it throws or calls nothing, the call is made all the same.
   */
  runInside?: ((run: () => void) => void) | undefined
}

/**
 * A login, from the call that began it to its end, as the tracing channel `svc-auth:login` of
 * `node:diagnostics_channel` publishes it: one object for all of its events, which is complete at `asyncEnd`.
 *
 * All are published in the asynchronous context of the call that began the login. Every other call that waits for it
 * publishes a {@link LoginWait}. A failed login has the event `error` before `asyncStart`, but no field `error`: the
 * error may tell more than its `code`.
 *
 * @see https://nodejs.org/api/diagnostics_channel.html#tracingchannel-channels
 */
export interface LoginTrace extends AuthTrace {
  /**
   * `issued`: the service issued a token; `adopted`: another session had put one into the store; `unchanged`: the
   * store has no better one than that at hand; `failed`: there is no token; `paused`: nor is a login made until
   * `retryAt`; `abandoned`: it is not wanted any more. Absent until it is over.
   */
  readonly outcome?: 'issued' | 'adopted' | 'unchanged' | 'failed' | 'paused' | 'abandoned'
  /** When the next login may be made, in epoch milliseconds, if it was `paused`. */
  readonly retryAt?: number
}

/**
 * A call that waits for a login that another call began, as the channel `svc-auth:login:wait` of
 * `node:diagnostics_channel` publishes it, in the asynchronous context of the call that waits.
 */
export type LoginWait = Pick<LoginTrace, 'id' | 'scheme' | 'origin'>

/**
 * A request with all of its attempts and the redirects that were followed, up to the head of its last response, as the
 * tracing channel `svc-auth:request` of `node:diagnostics_channel` publishes it: one object for all of its events, which
 * is complete at `asyncEnd`. A failure has the event `error` before `asyncStart`, but no field `error`.
 *
 * A retry, by the client or by `@svc/auth-hooks/retry`, is another request, and so is each hop of got and undici. A call
 * that is rejected before its scheme is asked is none, nor are `authorizeRequest` and the hooks of ky, which do not send:
 * they have traces of logins alone.
 *
 * @see https://nodejs.org/api/diagnostics_channel.html#tracingchannel-channels
 */
export interface RequestTrace extends AuthTrace {
  /** The method of the first attempt. */
  readonly method: string
  /** Number of attempts that were sent, those after redirects included. */
  readonly attempts: number
  /** Number of redirects that were followed. */
  readonly redirects: number
  /**
   * `response`: the caller got a response, whatever its status; `failed`: an error; `aborted`: the caller gave up.
   * Absent until it is over.
   */
  readonly outcome?: 'response' | 'failed' | 'aborted'
}
