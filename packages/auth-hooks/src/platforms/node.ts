// The parts that every request needs of Node, Bun and Deno.
export { heldConnection, rememberDispatcher } from '../fetch/connection.node.ts'
export { followRedirect } from '../kernel/redirect.ts'
export {
  awaitForm,
  isFormRequest,
  iterateRequest,
  releaseRequest,
} from '../kernel/request-stream.node.ts'
export { diagnostics, beginLoginTrace, traceRequest } from '../kernel/tracing.node.ts'
export { boundTee, platformBlob, streamLargeBlob } from '../kernel/upload-memory.node.ts'
export { assertUnused, claimStream, holdStream, openStream } from '../kernel/used-stream.node.ts'
export { assertFollowsNone, assertStandardUrl } from '../kit/runtime-faults.ts'
