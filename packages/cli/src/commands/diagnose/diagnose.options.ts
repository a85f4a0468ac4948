import type { CommandOption } from '../../command.ts'
import { type RequestFlags, requestOptions } from '../../request/request.options.ts'

/** Values of {@link diagnoseOptions}. */
export interface DiagnoseOptions extends RequestFlags {
  readonly response?: string
  readonly probe?: boolean
  readonly write?: boolean
  readonly json?: boolean
}

/** The flags of `diagnose`. */
export const diagnoseOptions: readonly CommandOption[] = [
  ...requestOptions,
  {
    flags: '--response <file>',
    description:
      'compare with a response that was saved, by `curl -i` or as its body alone, and send nothing; - is the standard input',
  },
  { flags: '--probe', description: 'try the usual causes where the service quotes nothing' },
  {
    flags: '--write',
    description: 'let --probe send a method other than GET and HEAD, up to 12 times',
  },
  { flags: '--json', description: 'print the diagnosis as JSON' },
]
