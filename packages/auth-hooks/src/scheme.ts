/**
 * Building blocks for a scheme of your own: option checks, origins, events and waiting.
 *
 * @module @svc/auth-hooks/scheme
 */
export {
  abortable,
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
  check,
  checkFunctions,
  checkOptions,
  isHttpToken,
  isRedirectStatus,
  isRequest,
  misnamed,
  normalizeMethod,
  type OptionNames,
} from './kit/checks.ts'
export { assertHeedsRedirects, readTrustRedirects, type TrustedFetch } from './kit/inner-fetch.ts'
export { emit, type LoginStart, type TracedLogin, traceLogin } from './kit/events.ts'
export { requireSubtle } from './kit/subtle.ts'
export { assertNoDotSegment, hasDotSegment, readPath } from './kit/paths.ts'
export {
  describeOrigins,
  documentBaseUrl,
  isLoopback,
  matchOrigins,
  parseBaseUrl,
  redirectedOrigin,
  uncovered,
} from './kit/urls.ts'
