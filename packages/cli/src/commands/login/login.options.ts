import type { CommandOption } from '../../command.ts'

/** Values of {@link loginOptions}. */
export interface LoginOptions {
  readonly passwordStdin?: boolean
  readonly again?: boolean
  readonly save?: boolean
}

/** The flags of `login`. */
export const loginOptions: readonly CommandOption[] = [
  {
    flags: '--password-stdin',
    description: 'read the password from standard input',
    default: 'off',
  },
  { flags: '--again', description: 'log in although a session is still good', default: 'off' },
  {
    flags: '--save',
    description: 'log in, and keep the password in the keyring, so that later sessions need none',
    default: 'off',
  },
]
