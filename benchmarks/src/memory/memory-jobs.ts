import type { Job } from '../jobs/job.ts'

/** The client that uploads: one of ours, or fetch alone. */
export type Uploader = 'authFetch, signed chunks' | 'fetch alone'

/** Streams a body, and returns by how many bytes the peak of the process grew meanwhile. */
export const uploadJob: Job<{ url: string; uploader: Uploader; bytes: number }, number> = {
  entry: '../memory/upload.ts',
}

/** The client that sends requests: ours with a selector, or fetch alone. */
export type Sender = 'authFetch, selector' | 'fetch alone'

/**
 * Sends requests to a server, or to an inner `fetch` that responds at once, and returns the heap in use after
 * each part of them: once before they begin, and then {@link parts} times.
 */
export const requestsMemoryJob: Job<
  { url: string | undefined; sender: Sender; requests: number },
  readonly number[]
> = { entry: '../memory/many-requests.ts' }

/** The number of parts that {@link requestsMemoryJob} sends its requests in. */
export const parts = 10

/** The client of requests that are under way: those above, or a function that adds three headers to a parsed URL. */
export type WaitingSender = Sender | 'the thinnest wrapper'

/** Has 10 000 requests under way at once, and returns by how many bytes the heap grows. */
export const concurrentJob: Job<{ sender: WaitingSender }, number> = {
  entry: '../memory/concurrent.ts',
}

/** The number of requests that {@link concurrentJob} has under way. */
export const concurrentRequests = 10_000
