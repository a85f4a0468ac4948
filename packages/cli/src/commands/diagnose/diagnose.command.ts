import type { DiagnoseOptions } from './diagnose.options.ts'
import type { CommandDefinition } from '../../command.ts'
import { requestOptions } from '../../request/request.options.ts'

export const diagnoseCommand: CommandDefinition<DiagnoseOptions> = {
  name: 'diagnose',
  summary: 'say why the service refuses a request',
  description:
    'Sends a request once, and where it is refused says which line of the signature differs and why, from what the service quotes of it. ' +
    'Where it quotes nothing, --probe signs the request in other ways, one at a time, until one is accepted: with the key trimmed, ' +
    'by the clock of the service, for another region or Host, with the path and the query encoded otherwise, and some more; at most 12 requests in all. ' +
    'For a path below /user it says what came of the login and the token. Exits with 0 if the request was accepted as it is configured, else with 1.',
  args: [
    { name: '<path>', description: 'the path below the base URL, or a URL, presigned or not' },
  ],
  options: [
    ...requestOptions,
    {
      flags: '--response <file>',
      description:
        'compare with a response that was saved, by `curl -i` or as its body alone, and send nothing; - is the standard input',
    },
    { flags: '--probe', description: 'try the usual causes where the service quotes nothing' },
    {
      flags: '--write',
      description: 'let --probe send a method other than GET and HEAD, up to 12 times',
    },
    { flags: '--json', description: 'print the diagnosis as JSON' },
  ],
  examples: [
    { line: 'svc-auth diagnose /V1/report.csv', does: 'say why a download is refused' },
    {
      line: 'svc-auth diagnose --probe /V1/report.csv',
      does: 'find out why a server refuses it that says nothing but 403',
    },
    {
      line: 'svc-auth diagnose -X PUT -d @report.csv --response refused.txt /V1/report.csv',
      does: 'compare a response that curl -i has saved with the request that it refused',
    },
  ],
  load: async () => (await import('./diagnose.ts')).runDiagnose,
}
