import type { SignOptions } from './sign.options.ts'
import type { CommandDefinition } from '../../command.ts'
import { requestOptions } from '../../request/request.options.ts'

export const signCommand: CommandDefinition<SignOptions> = {
  name: 'sign',
  summary: 'print the headers of a signed request, or a line for curl',
  description:
    'Signs a request without sending it, and prints the headers to send, one on each line, as `curl -H @file` reads them. ' +
    'The method, the path, the query, the headers and the body must be sent as they were given here. A signature is usually valid for 15 minutes. ' +
    'For a path below /user, which takes a token, the headers hold the token of the session; a login may be needed. ' +
    'The output holds a credential: keep it out of logs.',
  args: [{ name: '<path>', description: 'the path below the base URL, or a URL' }],
  options: [
    ...requestOptions,
    { flags: '--curl', description: 'print one line for a shell that sends the request with curl' },
    { flags: '--json', description: 'print scheme, method, URL and headers as JSON' },
  ],
  examples: [
    { line: 'svc-auth sign /V1/report.csv', does: 'print the headers of a download' },
    {
      line: 'eval "$(svc-auth sign --curl -X PUT -H \'content-type: text/csv\' -d @report.csv /V1/report.csv)"',
      does: 'upload a file with curl',
    },
    {
      line: 'svc-auth sign /user/groups | curl -H @- https://search.example.com/user/groups',
      does: 'send a request with the token of the session',
    },
  ],
  load: async () => (await import('./sign.ts')).runSign,
}
