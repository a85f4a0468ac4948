import type { FetchOptions } from './fetch.options.ts'
import { type CommandDefinition, http2Option } from '../../command.ts'
import { headerOption } from '../../request/request.options.ts'

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
  options: [
    {
      flags: '-X, --request <method>',
      description: 'the method',
      default: 'GET; POST with --data or --json, PUT with --upload-file, HEAD with --head',
    },
    headerOption,
    {
      flags: '-d, --data <data>',
      description:
        'the body, as a form: text, @file or @- for standard input, sent as it is, line breaks included; ' +
        'several are joined by &',
      isRepeatable: true,
    },
    { flags: '--data-binary <data>', description: 'the same as --data', isRepeatable: true },
    {
      flags: '--data-raw <text>',
      description: 'the body, as a form, where a leading @ has no meaning',
      isRepeatable: true,
    },
    {
      flags: '--json <data>',
      description: 'the body, as JSON: text, @file or @-; asks for JSON too; several are joined',
      isRepeatable: true,
    },
    {
      flags: '-T, --upload-file <file>',
      description:
        'a file to send as it is, or - for standard input; a path that ends with / gets the name of the file. ' +
        'A pipe is read to its end before it is sent, since the service wants the length: beyond 8 MiB it ' +
        'is kept in a temporary file, unless -H "Content-Length: <bytes>" tells the length',
    },
    {
      flags: '-o, --output <file>',
      description: 'the file to write the body to; - is standard output, binary or not',
      default: '-, but nothing binary on a terminal',
    },
    { flags: '-O, --remote-name', description: 'write to a file named like the end of the path' },
    { flags: '-r, --range <range>', description: 'the bytes to get, such as 0-499 or -500' },
    { flags: '-i, --include', description: 'print the head of the response before the body' },
    { flags: '-I, --head', description: 'send HEAD, and print the head of the response' },
    { flags: '-f, --fail', description: 'print nothing of an error but one line' },
    {
      flags: '-L, --location',
      description: 'follow redirects within the service; elsewhere is an error',
      default: 'a redirect is printed, and not followed',
    },
    { flags: '--compressed', description: 'ask for a compressed response, and decompress it' },
    {
      flags: '-m, --max-time <seconds>',
      description: 'the longest that all of it may take',
      default: 'no limit, but for 5 minutes without a byte of a body',
    },
    { flags: '-s, --silent', description: 'show neither progress nor hints' },
    { flags: '-S, --show-error', description: 'accepted as curl does; errors are always shown' },
    http2Option,
    {
      flags: '-v, --verbose',
      description: 'print each request and response on standard error, without secrets',
    },
  ],
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
