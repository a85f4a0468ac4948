/**
 * Building blocks for a scheme of your own: option checks, origins, events and waiting.
 *
 * @module @svc/auth-hooks/scheme
 */
export { untilAborted } from './kit/async.ts'
export { assertScheme } from './kit/checks.ts'
export { isLoopback, parseBaseUrl } from './kit/urls.ts'
export { hasDotSegment } from './kit/urls.ts'
export { emit } from './kit/events.ts'
export { isHttpToken } from './kit/checks.ts'
export { type MaybePromise, whenReady } from './kit/async.ts'
export { matchOrigins } from './kit/urls.ts'
