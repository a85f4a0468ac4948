import type { MemoryResult } from './memory/topic.ts'
import type { RequestPerformance } from './requests/requests-job.ts'
import type { ShellResult } from './shell/topic.ts'
import type { RuntimeSigning } from './signing/topic.ts'
import type { StartResult } from './start/topic.ts'
import type { TokenPerformance } from './tokens/tokens-job.ts'

/** The results of the topics that were measured. */
export interface MeasuredResults {
  readonly start?: StartResult
  readonly requests?: readonly RequestPerformance[]
  readonly signing?: readonly RuntimeSigning[]
  readonly tokens?: readonly TokenPerformance[]
  readonly memory?: MemoryResult
  readonly shell?: ShellResult
}
