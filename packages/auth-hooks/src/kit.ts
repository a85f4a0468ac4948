// Parts that the packages of svc-auth share. They may change in any release: a scheme of your own finds its building
// blocks in `@svc/auth-hooks/scheme`.
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
