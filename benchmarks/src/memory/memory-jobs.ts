import type { Job } from '../jobs/job.ts'

/** The client that is measured: one of ours, or fetch alone. */
export type Sender = 'authFetch' | 'fetch alone'

/** Streams a body, signed piece by piece, and returns by how many bytes the peak of the process grew meanwhile. */
export const uploadJob: Job<{ url: string; sender: Sender; bytes: number }, number> = {
  entry: '../memory/upload.ts',
}

/** Has 10 000 requests under way at once, and returns by how many bytes the heap grows. */
export const concurrentJob: Job<{ sender: Sender }, number> = {
  entry: '../memory/concurrent.ts',
}

/** The number of requests that {@link concurrentJob} has under way. */
export const concurrentRequests = 10_000

/** Opens sessions of as many users, and returns the bytes of heap that each takes. */
export const sessionsJob: Job<{ users: number }, number> = { entry: '../memory/sessions.ts' }
