import { node24 } from '../jobs/command-runtime.ts'
import { startBareServer } from '../jobs/service.ts'
import { mebibytes } from '../report/figures.ts'
import { table } from '../report/table.ts'
import type { Topic } from '../topic.ts'
import {
  concurrentJob,
  concurrentRequests,
  requestsMemoryJob,
  uploadJob,
  type Uploader,
  type WaitingSender,
} from './memory-jobs.ts'

/** The growth of one process. */
export interface MemoryGrowth {
  readonly what: string
  readonly who: Uploader | WaitingSender
  readonly bytes: number
}

/** The size of the upload, and the growth of every process. */
export interface MemoryResult {
  readonly uploadBytes: number
  readonly growths: readonly MemoryGrowth[]
}

/** The memory that requests take, and leave behind. */
export const memory: Topic<MemoryResult> = {
  name: 'memory',
  title: 'Memory',
  async run({ memory: { uploadBytes, requests } }) {
    const server = await startBareServer()
    const { url } = server
    const growths: MemoryGrowth[] = []
    try {
      for (const uploader of ['authFetch, signed chunks', 'fetch alone'] as const) {
        const bytes = await node24.run(uploadJob, { url, uploader, bytes: uploadBytes })
        growths.push({
          what: `${mebibytes(uploadBytes)} streamed (peak of RSS)`,
          who: uploader,
          bytes,
        })
      }
      for (const sender of ['authFetch, selector', 'fetch alone'] as const) {
        const count = requests.toLocaleString('en-GB')
        const bytes = await node24.run(requestsMemoryJob, { url, sender, requests })
        growths.push({ what: `after ${count} requests (heap)`, who: sender, bytes })
      }
      for (const sender of [
        'authFetch, selector',
        'the thinnest wrapper',
        'fetch alone',
      ] as const) {
        const count = concurrentRequests.toLocaleString('en-GB')
        const bytes = await node24.run(concurrentJob, { sender })
        growths.push({ what: `while ${count} are under way (heap)`, who: sender, bytes })
      }
    } finally {
      await server.close()
    }
    return { uploadBytes, growths }
  },
  section: ({ growths }) => ({
    markdown: `Node 24, one process per line. The peak of the resident set counts from the end of an upload
of 16 MiB; the heap is measured after garbage collection. \`fetch\` alone signs nothing. The requests
under way are in process, with an inner \`fetch\` that waits.

${table(
  ['', 'client', 'growth'],
  growths.map(({ what, who, bytes }) => [what, who, mebibytes(bytes)]),
)}`,
  }),
}
