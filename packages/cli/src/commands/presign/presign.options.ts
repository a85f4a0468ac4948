import type { CommandOption } from '../../command.ts'
import { type RequestFlags, requestOptions } from '../../request/request.options.ts'

/** Values of {@link presignOptions}. */
export interface PresignOptions extends RequestFlags {
  readonly expires?: string
}

/** The flags of `presign`. */
export const presignOptions: readonly CommandOption[] = [
  ...requestOptions,
  {
    flags: '-e, --expires <time>',
    description: 'the time for which it is valid: 600 or 600s, 10m, 12h, 7d; from 1 s to 7 days',
    default: '1h',
  },
]
