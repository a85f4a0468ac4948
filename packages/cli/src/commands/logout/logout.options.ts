import type { CommandOption } from '../../command.ts'

/** Values of {@link logoutOptions}. */
export interface LogoutOptions {
  readonly forgetPassword?: boolean
}

/** The flags of `logout`. */
export const logoutOptions: readonly CommandOption[] = [
  {
    flags: '--forget-password',
    description: 'remove the password from the keyring too',
    default: 'off',
  },
]
