import type { Job } from './job.ts'

/** Something that runs jobs. */
export interface Runtime {
  readonly name: string
  /** Its version; rejects where it is not installed. */
  version(): Promise<string>
  run<Parameters, Result>(job: Job<Parameters, Result>, parameters: Parameters): Promise<Result>
}
