/**
 * Building blocks for a scheme of your own: option checks, origins, events and waiting.
 *
 * @module @svc/auth-hooks/scheme
 */
export { abortable } from './kit/async.ts'
export { check, checkOptions, type OptionNames } from './kit/checks.ts'
export type { TrustedFetch } from './kit/inner-fetch.ts'
export { matchBase, matchOrigins, parseBaseUrl } from './kit/urls.ts'

// Parts that the packages of svc-auth share: not documented, and free to change in any release.
export {
  abortError,
  assertNotAborted,
  chain,
  isThenable,
  type MaybePromise,
  nextTurn,
  singleFlight,
} from './kit/async.ts'
export {
  assertScheme,
  checkFunctions,
  isHttpToken,
  isRedirectStatus,
  isRequest,
  misnamed,
  normalizeMethod,
} from './kit/checks.ts'
export { emit, traceLogin } from './kit/events.ts'
export { readTrustRedirects } from './kit/inner-fetch.ts'
export { assertNoDotSegment, hasDotSegment, percentDecode, readPath } from './kit/paths.ts'
export { retryAfterMs } from './kit/retry-after.ts'
export { requireSubtle } from './kit/subtle.ts'
export type { LoginStart, TracedLogin } from './kit/tracing.ts'
export {
  describeOrigins,
  documentBaseUrl,
  isLoopback,
  redirectedOrigin,
  uncovered,
} from './kit/urls.ts'
