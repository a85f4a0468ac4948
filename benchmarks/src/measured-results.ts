import type { GrowthCurve } from './growth/growth-job.ts'
import type { LatencyResult } from './latency/latency-job.ts'
import type { MemoryResult } from './memory/topic.ts'
import type { RequestProfile } from './profile/profile-job.ts'
import type { RequestPerformance } from './requests/requests-job.ts'
import type { ShellResult } from './shell/topic.ts'
import type { RuntimeSigning } from './signing/result.ts'
import type { StartResult } from './start/topic.ts'
import type { TokenPerformance } from './tokens/tokens-job.ts'
import type { TraceCost } from './traces/traces-job.ts'

/** The results of the topics that were measured. */
export interface MeasuredResults {
  readonly signing?: readonly RuntimeSigning[]
  readonly profile?: readonly RequestProfile[]
  readonly requests?: readonly RequestPerformance[]
  readonly latency?: LatencyResult
  readonly tokens?: readonly TokenPerformance[]
  readonly traces?: readonly TraceCost[]
  readonly memory?: MemoryResult
  readonly start?: StartResult
  readonly shell?: ShellResult
  readonly growth?: readonly GrowthCurve[]
}
