/**
 * Building blocks for a scheme of your own: option checks, origins, events and waiting.
 *
 * @module @svc/auth-hooks/scheme
 */
export {
  abortable,
  assertNotAborted,
  chain,
  isThenable,
  type MaybePromise,
  singleFlight,
} from './kit/async.ts'
export { check, checkFunctions, checkOptions, type OptionNames } from './kit/checks.ts'
export { emit } from './kit/events.ts'
export type { TrustedFetch } from './kit/inner-fetch.ts'
export { readPath } from './kit/paths.ts'
export { describeOrigins, isLoopback, matchOrigins, parseBaseUrl, uncovered } from './kit/urls.ts'

// Parts that the packages of svc-auth share: not documented, and free to change in any release.
export { abortError, nextTurn } from './kit/async.ts'
export {
  assertScheme,
  isHttpToken,
  isRedirectStatus,
  isRequest,
  misnamed,
  normalizeMethod,
} from './kit/checks.ts'
export { type LoginStart, type TracedLogin, traceLogin } from './kit/events.ts'
export { assertHeedsRedirects, readTrustRedirects } from './kit/inner-fetch.ts'
export { assertNoDotSegment, hasDotSegment } from './kit/paths.ts'
export { requireSubtle } from './kit/subtle.ts'
export { documentBaseUrl, redirectedOrigin } from './kit/urls.ts'
