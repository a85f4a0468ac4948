import type { CommandOption } from '../../command.ts'

/** Values of {@link doctorOptions}. */
export interface DoctorOptions {
  readonly online?: boolean
  readonly json?: boolean
}

/** The flags of `doctor`. */
export const doctorOptions: readonly CommandOption[] = [
  {
    flags: '--online',
    description:
      'send one request without credentials, to see if the service responds and what its clock says',
    default: 'off',
  },
  { flags: '--json', description: 'print JSON', default: 'off' },
]
