import type { CommandDefinition, Texts } from '../command.ts'
import type { ExitCode } from '../exit.ts'

export const emulatorCommand: CommandDefinition<
  Texts<'port' | 'host' | 'region' | 'users' | 'keys'>
> = {
  name: 'emulator',
  summary: 'run a local stand-in for the service',
  description:
    'Runs a local server that verifies logins, tokens and signatures as the service does, for trying things out and ' +
    'for tests. It says who can log in and which key can sign, and logs each request with why it was refused.',
  args: [],
  options: [
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
        'the API keys that can sign, as JSON: [{ "accessKeyId": "READERKEY", "secretAccessKey": "not-a-secret" }]',
      default: 'one of its own',
    },
  ],
  isConfigured: false,
  examples: [
    { line: 'svc-auth emulator --port 8080', does: 'listen on http://127.0.0.1:8080' },
    {
      line: 'svc-auth emulator --users users.json --keys keys.json',
      does: 'let others log in and sign',
    },
  ],
  async run(_, options, context) {
    const { runEmulatorCommand } = await import('@svc/emulator/command')
    const args = Object.entries(options).map(([name, value]) => `--${name}=${value}`)
    // Its exit codes are those of every command.
    return (await runEmulatorCommand(args, context, 'svc-auth emulator')) as ExitCode
  },
}
