import { checkCount } from '../kernel/options.ts'
import { check, checkFunctions, checkOptions, isHttpToken, normalizeMethod } from '../kit/checks.ts'

/** When a request is sent again, and after which wait. */
export interface RetryOptions {
  /**
   * The maximum number of retries of one call, after its first attempt.
   *
   * @default `2`
   */
  limit?: number | undefined
  /**
   * The response statuses to retry, from 400 to 599. 401, 403 and 407 are the scheme's, which sends a request
   * again itself where that can help.
   *
   * @default `[408, 429, 500, 502, 503, 504]`
   */
  statuses?: readonly number[] | undefined
  /**
   * The methods to retry. Name `POST` or `PATCH` only if it does no harm twice: the first request may have been
   * carried out, although its response is lost.
   *
   * @default `['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'TRACE']`, which are idempotent
   */
  methods?: readonly string[] | undefined
  /**
   * The longest wait before the first retry, in milliseconds. It doubles with each further one, and the wait is a
   * random part of it, so that many callers do not come back at once.
   *
   * @default `500`
   */
  baseDelayMs?: number | undefined
  /**
   * The longest wait of all, in milliseconds. A response whose `Retry-After` asks for more is returned at once.
   *
   * @default `20_000`
   */
  maxDelayMs?: number | undefined
  /**
   * The time, in epoch milliseconds, for a `Retry-After` that is a date, if the response has no `Date`.
   *
   * @default `Date.now`
   */
  clock?: (() => number) | undefined
  /**
   * A number from 0 to below 1, for jitter.
   *
   * @default `Math.random`
   */
  random?: (() => number) | undefined
}

/** Calls back after so many milliseconds. Returns the function that prevents it. */
type Timer = (ms: number, callback: () => void) => () => void

/** The options, checked and complete. */
export type RetrySettings = {
  readonly [Name in keyof RetryOptions]-?: NonNullable<RetryOptions[Name]>
} & { readonly after: Timer }

/** Checks the options. Throws a `TypeError` that names the one that is wrong. */
export function readRetryOptions(given: RetryOptions, parent: string): RetrySettings {
  const caller = `${parent}: retry`
  const options = checkOptions(given, caller, {
    limit: 'retries maxRetries',
    statuses: 'statusCodes retryOn',
    methods: '',
    baseDelayMs: 'delay minTimeout',
    maxDelayMs: 'maxRetryAfter maxTimeout backoffLimit',
    clock: 'now',
    random: 'jitter',
  })
  const { limit = 2, statuses = [408, 429, 500, 502, 503, 504] } = options
  const { methods = ['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'TRACE'] } = options
  const { baseDelayMs = 500, maxDelayMs = 20_000, clock, random } = options
  checkCount(limit, caller, 'limit')
  const areStatuses = Array.isArray(statuses) && statuses.every(isRetryStatus)
  check(areStatuses, caller, 'statuses must be from 400 to 599, but not 401, 403 or 407')
  const areMethods = Array.isArray(methods) && methods.every(isHttpToken)
  check(areMethods, caller, 'methods must be HTTP methods')
  for (const [name, ms] of Object.entries({ baseDelayMs, maxDelayMs })) {
    // Beyond it, `setTimeout` fires at once.
    const isTime = typeof ms === 'number' && ms >= 0 && ms < 2 ** 31
    check(isTime, caller, `${name} must be from 0 to 2 147 483 647 milliseconds`)
  }
  checkFunctions({ clock, random }, caller)
  return {
    limit,
    statuses: [...statuses],
    methods: methods.map(normalizeMethod),
    baseDelayMs,
    maxDelayMs,
    // Looked up at each call: a test of the caller's may replace it.
    clock: clock ?? (() => Date.now()),
    random: random ?? (() => Math.random()),
    after: timerOf(clock),
  }
}

function isRetryStatus(status: number): boolean {
  const isError = Number.isInteger(status) && status >= 400 && status < 600
  return isError && ![401, 403, 407].includes(status)
}

/** Returns the timer of the runtime, or the one that a test of ours gives to a clock: no option has this name. */
function timerOf(clock: object = {}): Timer {
  const own: { timers?: { after: Timer } } | undefined = Reflect.get(
    clock,
    Symbol.for('svc-auth.internals'),
  )
  return own?.timers?.after ?? startTimer
}

function startTimer(ms: number, callback: () => void): () => void {
  const timer = setTimeout(callback, ms)
  return () => clearTimeout(timer)
}
