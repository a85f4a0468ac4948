// Pages, which are never shown where a redirect leads.
export { platform } from '../axios/platform.ts'
export { heldConnection, rememberDispatcher } from '../fetch/connection.ts'
export { followRedirect } from '../kernel/redirect.browser.ts'
export {
  awaitForm,
  isFormRequest,
  iterateRequest,
  releaseRequest,
} from '../kernel/request-stream.ts'
export { requestTraces, traceRequest } from '../kernel/request-trace.ts'
export { boundTee, platformBlob, streamLargeBlob } from '../kernel/upload-memory.ts'
export { diagnostics } from '../kit/diagnostics.ts'
export { assertFollowsNone, assertStandardUrl } from '../kit/runtime-faults.ts'
export { beginLoginTrace } from '../kit/tracing.ts'
