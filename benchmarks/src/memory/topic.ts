import { node24 } from '../jobs/command-runtime.ts'
import { startBareServer } from '../jobs/service.ts'
import { inRounds } from '../measure/in-rounds.ts'
import { median } from '../measure/statistics.ts'
import { kilobytes, megabytes } from '../report/figures.ts'
import { table } from '../report/table.ts'
import type { Topic } from '../topic.ts'
import {
  concurrentJob,
  concurrentRequests,
  type Sender,
  sessionsJob,
  uploadJob,
} from './memory-jobs.ts'

/** Bytes by run, of our client and of `fetch` alone. */
export type MemoryGrowth = Readonly<Record<Sender, readonly number[]>>

/** The memory that requests and sessions take. */
export interface MemoryResult {
  readonly uploadBytes: number
  /** The growth of the peak of the resident set during an upload. */
  readonly upload: MemoryGrowth
  /** The growth of the heap with 10 000 requests under way. */
  readonly underWay: MemoryGrowth
  /** The heap of one session among 10 000. */
  readonly sessionBytes: number
}

const senders = ['authFetch', 'fetch alone'] as const
const users = 10_000

/** The memory that requests and sessions take. */
export const memory: Topic<MemoryResult> = {
  title: 'Memory',
  async run({ uploads }) {
    const server = await startBareServer()
    try {
      // Its noise is several times what is measured.
      const upload = await inRounds(senders, uploads.rounds, (sender) =>
        node24.run(uploadJob, { url: server.url, sender, bytes: uploads.bytes }),
      )
      const underWay = await inRounds(senders, 1, (sender) => node24.run(concurrentJob, { sender }))
      return {
        uploadBytes: uploads.bytes,
        upload: bySender(upload),
        underWay: bySender(underWay),
        sessionBytes: await node24.run(sessionsJob, { users }),
      }
    } finally {
      await server.close()
    }
  },
  section: ({
    uploadBytes,
    upload,
    underWay,
    sessionBytes,
  }) => `Node 24, one process per figure, the median of several uploads; 1 MB is 1024² bytes here. An upload is signed piece by
piece, and its memory is the growth of the resident set's peak after an upload of 16 MB; \`fetch\` alone signs nothing. The
requests under way go through a selector to an inner \`fetch\` that waits, and their memory is the heap after garbage
collection.

${table(
  ['', 'authFetch', 'fetch alone', 'beyond it'],
  [
    [`${megabytes(uploadBytes)} streamed (uploads: ${upload.authFetch.length})`, ...cells(upload)],
    [`${concurrentRequests.toLocaleString('en-GB')} requests under way`, ...cells(underWay)],
  ],
)}

A token session takes ${kilobytes(sessionBytes)} of heap, measured with ${users.toLocaleString('en-GB')} users in one process.`,
}

/** Returns the memory of our client beyond that of `fetch` alone. */
export function beyondFetch(growth: MemoryGrowth): number {
  return median(growth.authFetch) - median(growth['fetch alone'])
}

function cells(growth: MemoryGrowth): string[] {
  return [median(growth.authFetch), median(growth['fetch alone']), beyondFetch(growth)].map(
    (bytes) => megabytes(bytes),
  )
}

function bySender([ours = [], bare = []]: readonly (readonly number[])[]): MemoryGrowth {
  return { authFetch: ours, 'fetch alone': bare }
}
