import type { RequestFlags } from '../../request/request.options.ts'

/** Values of the options of `presign`. */
export interface PresignOptions extends RequestFlags {
  readonly expires?: string
}
