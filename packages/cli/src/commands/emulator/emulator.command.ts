import type { CommandDefinition } from '../../command.ts'
import { type EmulatorCommandOptions, emulatorOptions } from './emulator.options.ts'

export const emulatorCommand: CommandDefinition<EmulatorCommandOptions> = {
  name: 'emulator',
  summary: 'run a local stand-in for the service',
  description:
    'Runs a local server that verifies logins, tokens and signatures as the service does, for trying things out and ' +
    'for tests. It says who can log in and which key can sign, and logs each request with why it was refused.',
  args: [],
  options: emulatorOptions,
  isConfigured: false,
  examples: [
    { line: 'svc-auth emulator --port 8080', does: 'listen on http://127.0.0.1:8080' },
    {
      line: 'svc-auth emulator --users users.json --keys keys.json',
      does: 'let others log in and sign',
    },
  ],
  load: async () => (await import('./emulator.ts')).runEmulator,
}
