import type { RequestFlags } from '../../request/request.options.ts'

/** Values of the options of `explain`. */
export interface ExplainOptions extends RequestFlags {
  readonly json?: boolean
}
