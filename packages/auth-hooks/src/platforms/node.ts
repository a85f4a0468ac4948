// One small file for what every request needs of Node, Bun and Deno; the files beside it stand in for it elsewhere.
export { heldConnection, rememberDispatcher } from '../fetch/connection.node.ts'
export { followRedirect } from '../kernel/redirect.ts'
export {
  awaitForm,
  isFormRequest,
  iterateRequest,
  releaseRequest,
} from '../kernel/request-stream.node.ts'
export { requestTraces, traceRequest } from '../kernel/request-trace.node.ts'
export { boundTee, platformBlob, streamLargeBlob } from '../kernel/upload-memory.node.ts'
export { diagnostics } from '../kit/diagnostics.node.ts'
export { assertFollowsNone, assertStandardUrl } from '../kit/runtime-faults.ts'
export { beginLoginTrace } from '../kit/tracing.node.ts'
