import type { CommandDefinition, Switches } from '../command.ts'
import { missingSetting, readConfiguration } from '../configuration/configuration.ts'
import { exitCodes, UsageError } from '../exit.ts'
import { writeResult } from '../output/standard-output.ts'
import { openConfigured } from '../service.ts'

export const tokenCommand: CommandDefinition<Switches<'header' | 'json'>> = {
  name: 'token',
  summary: 'print the token of the session, for scripts',
  description:
    'Prints the token of the session, and logs in if there is none. A request below /user has it in the header ' +
    'x-svc-security-token, beside x-svc-route-token: login. Whoever has the token can act as the user ' +
    'until it expires: keep it out of logs and of the command lines of other programs.',
  args: [],
  options: [
    {
      flags: '--header',
      description: 'print the headers of a request below /user, one a line, as curl reads them',
    },
    { flags: '--json', description: 'print JSON: token and expiresAt' },
  ],
  examples: [
    {
      line: 'svc-auth token --header | curl --fail -H @- https://search.example.com/user/groups',
      does: 'send a request with curl; the token stands in no list of processes',
    },
    { line: 'svc-auth token --json', does: 'print the token, and until when it is good' },
  ],
  async run(_, options, context) {
    if (options.header && options.json) throw new UsageError('give --header or --json, not both')
    const configuration = { ...(await readConfiguration(options, context)), key: undefined }
    const service = await openConfigured(configuration, context)
    const { session } = service
    if (!session) throw missingSetting('user name', 'username', configuration)
    try {
      const token = await session.auth.getToken({ signal: context.signal })
      const { expiresAt } = session.auth.inspect()
      const json = {
        token,
        ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt).toISOString() }),
      }
      const header = configuration.signIn
        ? `authorization: Bearer ${token}`
        : `x-svc-security-token: ${token}\nx-svc-route-token: login`
      const text = options.header ? header : options.json ? JSON.stringify(json) : token
      await writeResult(context, `${text}\n`)
      return exitCodes.done
    } finally {
      await service.close()
    }
  },
}
