import process from 'node:process'

/** Collects garbage and returns the heap in use; needs `--expose-gc`. */
export function collectedHeapBytes(): number {
  if (!globalThis.gc) throw new Error('started without --expose-gc')
  globalThis.gc()
  return process.memoryUsage().heapUsed
}
