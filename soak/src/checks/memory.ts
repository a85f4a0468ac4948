import process from 'node:process'

/** The heap after garbage was collected, when so many operations were done. */
export interface Sample {
  readonly operations: number
  readonly heapBytes: number
}

/** How the heap grew. */
export interface Growth {
  readonly fromBytes: number
  readonly toBytes: number
  readonly operations: number
}

/** Takes a sample; needs `--expose-gc`. */
export function sampleHeap(operations: number): Sample {
  if (!globalThis.gc) throw new Error('started without --expose-gc')
  globalThis.gc()
  return { operations, heapBytes: process.memoryUsage().heapUsed }
}

/**
 * The growth from the middle of the second quarter to the middle of the last one, by their medians: the
 * first quarter is for caches to fill, and single samples vary.
 */
export function growthOf(samples: readonly Sample[]): Growth | undefined {
  const quarter = Math.floor(samples.length / 4)
  if (quarter < 2) return undefined
  const early = samples.slice(quarter, 2 * quarter)
  const late = samples.slice(-quarter)
  return {
    fromBytes: median(early.map(({ heapBytes }) => heapBytes)),
    toBytes: median(late.map(({ heapBytes }) => heapBytes)),
    operations:
      median(late.map(({ operations }) => operations)) -
      median(early.map(({ operations }) => operations)),
  }
}

/** For what the runtime keeps of its own, which levels off, and for what a request may leave behind. */
const tolerated = { bytes: 2 * 1024 * 1024, bytesPerOperation: 50 }

/** Says so where the heap grew more than what is tolerated. */
export function wrongGrowth(growth: Growth | undefined): string[] {
  if (!growth) return []
  const grown = growth.toBytes - growth.fromBytes
  if (grown <= tolerated.bytes + tolerated.bytesPerOperation * growth.operations) return []
  return [`the heap grew by ${grown} bytes in ${growth.operations} operations`]
}

function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0
}
