// One small file for what every request needs of Node; `without-node.ts` stands in for it elsewhere.
export { requestTraces, traceRequest } from './kernel/request-trace.node.ts'
export { boundTee, platformBlob, streamLargeBlob } from './kernel/upload-memory.node.ts'
export { diagnostics } from './kit/diagnostics.node.ts'
export { beginLoginTrace } from './kit/tracing.node.ts'
