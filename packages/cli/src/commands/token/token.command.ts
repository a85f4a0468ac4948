import type { TokenOptions } from './token.options.ts'
import type { CommandDefinition } from '../../command.ts'

export const tokenCommand: CommandDefinition<TokenOptions> = {
  name: 'token',
  summary: 'print the token of the session, for scripts',
  description:
    'Prints the token of the session, and logs in if there is none. Whoever has the token can act as the user ' +
    'until it expires: keep it out of logs and of the command lines of other programs.',
  args: [],
  options: [
    {
      flags: '--header',
      description: 'print the headers of a request below /user, one a line, as curl reads them',
      default: 'off',
    },
    { flags: '--json', description: 'print JSON: token and expiresAt', default: 'off' },
  ],
  examples: [
    {
      line: 'svc-auth token --header | curl -H @- https://search.example.com/user/groups',
      does: 'send a request with curl; the token stands in no list of processes',
    },
    { line: 'TOKEN=$(svc-auth token)', does: 'keep the token in a variable of the shell' },
  ],
  load: async () => (await import('./token.ts')).runToken,
}
