import type { DoctorOptions } from './doctor.options.ts'
import type { CommandDefinition } from '../../command.ts'

export const doctorCommand: CommandDefinition<DoctorOptions> = {
  name: 'doctor',
  summary: 'say what is configured, where it was found, and what is missing',
  description:
    'Says which setting was found where, which secrets can be read, whether somebody is logged in, and what is ' +
    'missing with its remedy. It shows no secret, and sends nothing without --online. The exit code is 2 if ' +
    'something is missing.',
  args: [],
  options: [
    {
      flags: '--online',
      description:
        'send one request without credentials, to see if the service responds and what its clock says',
      default: 'off',
    },
    { flags: '--json', description: 'print JSON', default: 'off' },
  ],
  examples: [
    { line: 'svc-auth doctor', does: 'check the configuration' },
    {
      line: 'svc-auth doctor --profile production --online',
      does: 'check one profile, and the service',
    },
  ],
  load: async () => (await import('./doctor.ts')).runDoctor,
}
