import type { RunCommand } from '../../command.ts'
import { readConfiguration } from '../../configuration/configuration.ts'
import { exitCodes, UsageError } from '../../exit.ts'
import { writeResult } from '../../output/write.ts'
import { openConfigured } from '../../service.ts'
import type { TokenOptions } from './token.options.ts'

/** Prints the token of the session. */
export const runToken: RunCommand<TokenOptions> = async (_, options, context) => {
  if (options.header && options.json) throw new UsageError('give --header or --json, not both')
  const configuration = { ...(await readConfiguration(options, context)), key: undefined }
  const service = await openConfigured(configuration, context)
  const { session } = service
  if (!session) {
    throw new UsageError('no user name: give --username, set SVC_AUTH_USERNAME, or save a profile')
  }
  try {
    const token = await session.auth.getToken({ signal: context.signal })
    const { expiresAt } = session.auth.inspect()
    const json = {
      token,
      ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt).toISOString() }),
    }
    const header = `x-svc-security-token: ${token}\nx-svc-route-token: login`
    const text = options.header ? header : options.json ? JSON.stringify(json) : token
    await writeResult(context, `${text}\n`)
    return exitCodes.done
  } finally {
    await service.close()
  }
}
