import type { RequestFlags } from '../../request/request.options.ts'

/** Values of the options of `sign`. */
export interface SignOptions extends RequestFlags {
  readonly curl?: boolean
  readonly json?: boolean
}
