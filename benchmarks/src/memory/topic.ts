import { node24 } from '../jobs/command-runtime.ts'
import { startBareServer } from '../jobs/service.ts'
import { inRounds } from '../measure/in-rounds.ts'
import { fitLine, median } from '../measure/statistics.ts'
import { figure, mebibytes } from '../report/figures.ts'
import { table } from '../report/table.ts'
import type { Topic } from '../topic.ts'
import {
  concurrentJob,
  concurrentRequests,
  parts,
  requestsMemoryJob,
  type Sender,
  uploadJob,
  type Uploader,
  type WaitingSender,
} from './memory-jobs.ts'

/** The growth of one process, or of several that did the same. */
export interface MemoryGrowth {
  readonly what: string
  readonly who: Uploader | WaitingSender
  /** By run. */
  readonly rounds: readonly number[]
  /** The slope of the heap over the requests, where it was read after each part of them. */
  readonly bytesPerRequest?: number
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
  async run({ memory: { uploadBytes, uploads, requests } }) {
    const server = await startBareServer()
    const { url } = server
    const growths: MemoryGrowth[] = []
    try {
      const uploaders = ['authFetch, signed chunks', 'fetch alone'] as const
      // Its noise is several times what is measured.
      const rounds = await inRounds(uploaders, uploads, (uploader) =>
        node24.run(uploadJob, { url, uploader, bytes: uploadBytes }),
      )
      for (const [place, who] of uploaders.entries()) {
        const what = `${mebibytes(uploadBytes)} streamed (peak of RSS)`
        growths.push({ what, who, rounds: rounds[place] ?? [] })
      }
      growths.push(await afterRequests(requests.inProcess, undefined, 'authFetch, selector'))
      growths.push(await afterRequests(requests.inProcess, undefined, 'fetch alone'))
      growths.push(await afterRequests(requests.sent, url, 'authFetch, selector'))
      growths.push(await afterRequests(requests.sent, url, 'fetch alone'))
      for (const who of ['authFetch, selector', 'the thinnest wrapper', 'fetch alone'] as const) {
        const what = `while ${count(concurrentRequests)} are under way (heap)`
        growths.push({ what, who, rounds: [await node24.run(concurrentJob, { sender: who })] })
      }
    } finally {
      await server.close()
    }
    return { uploadBytes, growths }
  },
  section: ({ growths }) => ({
    markdown: `Node 24, one process per figure, the median where there are several. The peak of the resident set counts
from the end of an upload of 16 MiB; the heap is measured after garbage collection. \`fetch\` alone signs
nothing. Requests in process, and those under way, have an inner \`fetch\` that responds at once, or waits.

${table(
  ['', 'client', 'growth', 'runs', 'bytes per request'],
  growths.map(({ what, who, rounds, bytesPerRequest }) => [
    what,
    who,
    mebibytes(median(rounds)),
    `${rounds.length}`,
    bytesPerRequest === undefined ? '' : figure(bytesPerRequest),
  ]),
)}`,
  }),
}

async function afterRequests(
  requests: number,
  url: string | undefined,
  who: Sender,
): Promise<MemoryGrowth> {
  const heaps = await node24.run(requestsMemoryJob, { url, sender: who, requests })
  const points = heaps.map((heap, part): [number, number] => [(part * requests) / parts, heap])
  const [before = 0, after = 0] = [heaps.at(0), heaps.at(-1)]
  return {
    what: `after ${count(requests)} requests ${url === undefined ? 'in process' : 'to a server'} (heap)`,
    who,
    rounds: [after - before],
    bytesPerRequest: fitLine(points).slope,
  }
}

function count(requests: number): string {
  return requests.toLocaleString('en-GB')
}
