// The parts that every request needs of Node, Bun and Deno.
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
export { assertFollowsNone, assertStandardUrl } from '../kit/runtime-faults.ts'
export { beginLoginTrace, diagnostics } from '../kit/tracing.node.ts'
