import type { CommandOption } from '../../command.ts'

/** Values of {@link profileAddOptions}. */
export interface ProfileAddOptions {
  readonly credentialProcess?: string
  readonly secretStdin?: boolean
  readonly replace?: boolean
}

/** The flags of `profile add`. */
export const profileAddOptions: readonly CommandOption[] = [
  {
    flags: '--credential-process <command>',
    description:
      "a command that prints the secrets as JSON, in the form of AWS's programs, with Password beside it",
    default: 'none',
  },
  {
    flags: '--secret-stdin',
    description: 'read the secret of the access key from standard input, into the keyring',
    default: 'off',
  },
  { flags: '--replace', description: 'replace a profile of this name', default: 'off' },
]
