// One small file for pages and workers, in place of what only Node has or needs.
export { platform } from './axios/platform.ts'
export { requestTraces, traceRequest } from './kernel/request-trace.ts'
export { boundTee, platformBlob, streamLargeBlob } from './kernel/upload-memory.ts'
export { diagnostics } from './kit/diagnostics.ts'
export { beginLoginTrace } from './kit/tracing.ts'
