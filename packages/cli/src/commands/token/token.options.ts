import type { CommandOption } from '../../command.ts'

/** Values of {@link tokenOptions}. */
export interface TokenOptions {
  readonly header?: boolean
  readonly json?: boolean
}

/** The flags of `token`. */
export const tokenOptions: readonly CommandOption[] = [
  {
    flags: '--header',
    description: 'print the headers of a request below /user, one a line, as curl reads them',
    default: 'off',
  },
  { flags: '--json', description: 'print JSON: token and expiresAt', default: 'off' },
]
