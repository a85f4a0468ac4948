import type { CommandOption } from '../../command.ts'

/** Values of {@link emulatorOptions}. */
export interface EmulatorCommandOptions {
  readonly port?: string
  readonly host?: string
  readonly users?: string
  readonly keys?: string
  readonly region?: string
}

/** The flags of `emulator`. */
export const emulatorOptions: readonly CommandOption[] = [
  { flags: '--port <number>', description: 'the port to listen on', default: 'a free one' },
  { flags: '--host <address>', description: 'the address to bind', default: '127.0.0.1' },
  {
    flags: '--region <name>',
    description: 'the region that signatures must name',
    default: 'us-east-1',
  },
  {
    flags: '--users <file>',
    description:
      'the users who can log in, as JSON: [{ "username": "reader@example.com", "password": "a password" }]',
    default: 'two of its own',
  },
  {
    flags: '--keys <file>',
    description:
      'the API keys that can sign, as JSON: [{ "accessKeyId": "READERKEY", "secretAccessKey": "a secret" }]',
    default: 'one of its own',
  },
]
