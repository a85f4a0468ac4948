import type { CommandOption } from '../../command.ts'
import { type RequestFlags, requestOptions } from '../../request/request.options.ts'

/** Values of {@link signOptions}. */
export interface SignOptions extends RequestFlags {
  readonly curl?: boolean
  readonly json?: boolean
}

/** The flags of `sign`. */
export const signOptions: readonly CommandOption[] = [
  ...requestOptions,
  { flags: '--curl', description: 'print one line for a shell that sends the request with curl' },
  { flags: '--json', description: 'print scheme, method, URL and headers as JSON' },
]
