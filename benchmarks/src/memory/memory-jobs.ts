import type { Job } from '../jobs/job.ts'

/** How the upload is sent: by a client of ours, or by fetch alone. */
export type Uploader = 'authFetch, signed chunks' | 'fetch alone'

/** Streams a body, and says by how many bytes the peak of the process grew meanwhile. */
export const uploadJob: Job<{ url: string; uploader: Uploader; bytes: number }, number> = {
  entry: '../memory/upload.ts',
}

/** Who sends requests: a selector of ours before token and signature, or fetch alone. */
export type Sender = 'authFetch, selector' | 'fetch alone'

/** Sends requests, and says by how many bytes the heap has grown when all are answered. */
export const requestsMemoryJob: Job<{ url: string; sender: Sender; requests: number }, number> = {
  entry: '../memory/many-requests.ts',
}

/** Has 10 000 requests under way at once, and says by how many bytes the heap grows for them. */
export const concurrentJob: Job<{ sender: Sender }, number> = { entry: '../memory/concurrent.ts' }

/** How many requests {@link concurrentJob} has under way. */
export const concurrentRequests = 10_000
