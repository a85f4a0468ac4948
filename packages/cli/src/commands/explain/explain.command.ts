import type { ExplainOptions } from './explain.options.ts'
import type { CommandDefinition } from '../../command.ts'
import { requestOptions } from '../../request/request.options.ts'

export const explainCommand: CommandDefinition<ExplainOptions> = {
  name: 'explain',
  summary: 'show step by step how a request is signed',
  description:
    "Shows the canonical request, the string to sign, the steps of the signing key, the signature and the headers, each line with the clause of AWS's documents that it implements. " +
    'Nothing is sent. The key itself is never shown and session tokens are shortened, but the signature is valid for some 15 minutes: keep the output out of logs.',
  args: [{ name: '<path>', description: 'the path below the base URL, or a URL' }],
  options: [
    ...requestOptions,
    {
      flags: '--json',
      description: 'print the steps as JSON, with the canonical request as one text',
    },
  ],
  examples: [
    { line: "svc-auth explain '/V1/?list-type=2&prefix=a b'", does: 'show how a query is signed' },
    {
      line: "svc-auth explain -X PUT -H 'content-type: text/csv' -d @report.csv /V1/report.csv",
      does: 'show how an upload is signed',
    },
    {
      line: 'svc-auth explain /V1/report.csv --json | jq -r .canonicalRequest',
      does: 'print the canonical request alone, to compare it with that of a server',
    },
  ],
  load: async () => (await import('./explain.ts')).runExplain,
}
