import type { CommandDefinition } from '../../command.ts'

/** Options of `fetch`. */
export interface FetchOptions {
  readonly method?: string
}

export const fetchCommand: CommandDefinition<FetchOptions> = {
  name: 'fetch',
  summary: 'send a request to the service, as curl would',
  description: 'Sends one request to the service, with a token or a signature as its path needs.',
  args: [{ name: '<path>', description: 'the path below the base URL, or a URL' }],
  options: [{ flags: '-X, --method <method>', description: 'the method', default: 'GET' }],
  examples: [
    { line: 'svc-auth fetch /user/groups', does: 'list the groups of the user' },
    { line: 'svc-auth fetch /V1/report.csv -o report.csv', does: 'download an object' },
  ],
  load: async () => (await import('./fetch.ts')).runFetch,
}
