import type { Job } from '../jobs/job.ts'

/** The client that uploads: one of ours, or fetch alone. */
export type Uploader = 'authFetch, signed chunks' | 'fetch alone'

/** Streams a body, and returns by how many bytes the peak of the process grew meanwhile. */
export const uploadJob: Job<{ url: string; uploader: Uploader; bytes: number }, number> = {
  entry: '../memory/upload.ts',
}

/** The client that sends requests: ours with a selector, or fetch alone. */
export type Sender = 'authFetch, selector' | 'fetch alone'

/** Sends requests, and returns by how many bytes the heap has grown once all are over. */
export const requestsMemoryJob: Job<{ url: string; sender: Sender; requests: number }, number> = {
  entry: '../memory/many-requests.ts',
}

/** The client of requests that are under way: those above, or a function that adds three headers to a parsed URL. */
export type WaitingSender = Sender | 'the thinnest wrapper'

/** Has 10 000 requests under way at once, and returns by how many bytes the heap grows. */
export const concurrentJob: Job<{ sender: WaitingSender }, number> = {
  entry: '../memory/concurrent.ts',
}

/** The number of requests that {@link concurrentJob} has under way. */
export const concurrentRequests = 10_000
