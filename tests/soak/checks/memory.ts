import process from 'node:process'

/** The heap after garbage was collected, when so many operations were done. */
export interface Sample {
  readonly operations: number
  readonly heapBytes: number
}

/** The growth of the heap. */
export interface HeapGrowth {
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

/** Until then caches fill, and the runtime compiles what it has seen often enough. */
const warmUpOperations = 4000

/**
 * The growth after the warm-up, from the middle of its first quarter to the middle of its last one, by
 * medians, since single samples vary. `undefined` where there were too few.
 */
export function growthOf(samples: readonly Sample[]): HeapGrowth | undefined {
  const warm = samples.filter(({ operations }) => operations > warmUpOperations)
  const quarter = Math.floor(warm.length / 4)
  if (quarter < 5) return undefined
  const early = middleOf(warm.slice(0, quarter))
  const late = middleOf(warm.slice(-quarter))
  return {
    fromBytes: early.heapBytes,
    toBytes: late.heapBytes,
    operations: late.operations - early.operations,
  }
}

function middleOf(samples: readonly Sample[]): Sample {
  return {
    operations: median(samples.map(({ operations }) => operations)),
    heapBytes: median(samples.map(({ heapBytes }) => heapBytes)),
  }
}

/** For what the runtime keeps of its own, which levels off, and for what a request may leave behind. */
const tolerated = { bytes: 2 * 1024 * 1024, bytesPerOperation: 50 }

/** Says so where the heap grew more than what is tolerated. */
export function wrongGrowth(growth: HeapGrowth | undefined): string[] {
  if (!growth) return []
  const grown = growth.toBytes - growth.fromBytes
  if (grown <= tolerated.bytes + tolerated.bytesPerOperation * growth.operations) return []
  return [`the heap grew by ${grown} bytes in ${growth.operations} operations`]
}

function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0
}
