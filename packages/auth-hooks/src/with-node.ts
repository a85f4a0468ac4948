// One small file for what every request needs of Node; `without-node.ts` stands in for it elsewhere.
export { boundTee, streamLargeBlob } from './kernel/upload-memory.node.ts'
export { diagnostics } from './kit/diagnostics.node.ts'
