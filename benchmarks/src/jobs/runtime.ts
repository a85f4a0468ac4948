import type { Job } from './job.ts'

/** A runtime that runs jobs. */
export interface JobRuntime {
  readonly name: string
  /** Returns its version; rejects if it is not installed. */
  version(): Promise<string>
  run<Parameters, Result>(job: Job<Parameters, Result>, parameters: Parameters): Promise<Result>
}
