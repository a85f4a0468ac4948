import type { RequestFlags } from '../../request/request.options.ts'

/** Values of the options of `diagnose`. */
export interface DiagnoseOptions extends RequestFlags {
  readonly response?: string
  readonly probe?: boolean
  readonly write?: boolean
  readonly json?: boolean
}
