import type { PresignOptions } from './presign.options.ts'
import type { CommandDefinition } from '../../command.ts'
import { requestOptions } from '../../request/request.options.ts'

export const presignCommand: CommandDefinition<PresignOptions> = {
  name: 'presign',
  summary: 'print a link that is signed for someone who has no key',
  description:
    'Signs a URL and prints it. Whoever has the link can send this one request until it expires, so treat it as a secret. ' +
    'Headers that are given here must be sent with it exactly so; a body that is given here must be the one that is sent. ' +
    'Nothing is sent.',
  args: [{ name: '<path>', description: 'the path below the base URL, or a URL' }],
  options: [
    ...requestOptions,
    {
      flags: '-e, --expires <time>',
      description: 'the time for which it is valid: 600 or 600s, 10m, 12h, 7d; from 1 s to 7 days',
      default: '1h',
    },
  ],
  examples: [
    {
      line: 'svc-auth presign /V1/report.csv --expires 10m',
      does: 'share an object for ten minutes',
    },
    {
      line: 'svc-auth presign -X PUT /V1/upload.csv --expires 1d',
      does: 'let someone upload an object within a day',
    },
  ],
  load: async () => (await import('./presign.ts')).runPresign,
}
