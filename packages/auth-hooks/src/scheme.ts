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
