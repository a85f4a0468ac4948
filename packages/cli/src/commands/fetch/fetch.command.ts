import type { CommandDefinition } from '../../command.ts'
import { type FetchOptions, fetchOptions } from './fetch.options.ts'

export const fetchCommand: CommandDefinition<FetchOptions> = {
  name: 'fetch',
  summary: 'send a request to the service, as curl would',
  description:
    'Sends one request to the service, with a token or a signature as its path needs, and prints the body of ' +
    'the response: JSON in a readable form on a terminal, and every byte as it came anywhere else. The flags ' +
    'are those of curl. A status from 400 on ends with exit code 1; the error is printed on standard output ' +
    'and never takes the place of a file. A file replaces another one only when it is complete; curl, through the proxy, goes on with ' +
    'a download that broke off.',
  args: [{ name: '<path>', description: 'the path below the base URL, or a URL below it' }],
  options: fetchOptions,
  examples: [
    { line: 'svc-auth fetch /user/groups', does: 'list the groups of the user' },
    {
      line: 'svc-auth fetch -O /V1/report.csv',
      does: 'download an object',
    },
    { line: 'svc-auth fetch -T report.csv /V1/', does: 'upload a file as /V1/report.csv' },
    {
      line: 'tar c logs | svc-auth fetch -T - /V1/logs.tar',
      does: 'upload the output of a command',
    },
    {
      line: `svc-auth fetch -X PUT --json '{"theme":"dark"}' /V1/settings.json`,
      does: 'send JSON',
    },
    {
      line: 'svc-auth fetch -f /V1/settings.json | jq .theme',
      does: 'pass a response on, and nothing if there is an error',
    },
  ],
  load: async () => (await import('./fetch.ts')).runFetch,
}
