import process from 'node:process'

/** The heap in use after garbage has been collected; needs `--expose-gc`. */
export function collectedHeapBytes(): number {
  if (!globalThis.gc) throw new Error('started without --expose-gc')
  globalThis.gc()
  return process.memoryUsage().heapUsed
}
