// React Native, whose own `fetch` follows redirects whatever it is told.
export { platform } from '../axios/platform.ts'
export { heldConnection, rememberDispatcher } from '../fetch/connection.ts'
export { followRedirect } from '../kernel/redirect.ts'
export {
  awaitForm,
  isFormRequest,
  iterateRequest,
  releaseRequest,
} from '../kernel/request-stream.ts'
export { requestTraces, traceRequest } from '../kernel/request-trace.ts'
export { boundTee, platformBlob, streamLargeBlob } from '../kernel/upload-memory.ts'
export { diagnostics } from '../kit/diagnostics.ts'
export { assertFollowsNone, assertStandardUrl } from '../kit/runtime-faults.react-native.ts'
export { beginLoginTrace } from '../kit/tracing.ts'
