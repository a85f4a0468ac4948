import type { Job } from '../jobs/job.ts'
import type { TimingEffort } from '../measure/time-calls.ts'
import type { Contest } from './run-contest.ts'

/** Signs all requests with all contenders, in a runtime with `node:crypto`. */
export const signingJob: Job<TimingEffort, readonly Contest[]> = { entry: '../signing/signing.ts' }
