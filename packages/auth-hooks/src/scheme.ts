/**
 * Building blocks for a scheme of your own: option checks, origins, events and waiting.
 *
 * @module @svc/auth-hooks/scheme
 */
export { untilAborted } from './abort.ts'
export { assertScheme } from './assert-scheme.ts'
export { isLoopback, parseBaseUrl } from './base-url.ts'
export { hasDotSegment } from './dot-segments.ts'
export { emit } from './emit.ts'
export { isHttpToken } from './http-token.ts'
export { type MaybePromise, whenReady } from './maybe-promise.ts'
export { matchOrigins } from './origins.ts'
