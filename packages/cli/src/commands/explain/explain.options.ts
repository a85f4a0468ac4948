import type { CommandOption } from '../../command.ts'
import { type RequestFlags, requestOptions } from '../../request/request.options.ts'

/** Values of {@link explainOptions}. */
export interface ExplainOptions extends RequestFlags {
  readonly json?: boolean
}

/** The flags of `explain`. */
export const explainOptions: readonly CommandOption[] = [
  ...requestOptions,
  {
    flags: '--json',
    description: 'print the steps as JSON, with the canonical request as one text',
  },
]
