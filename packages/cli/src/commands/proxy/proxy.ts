import type { RunCommand } from '../../command.ts'
import type { CommandContext } from '../../context.ts'
import { exitCodes, UsageError } from '../../exit.ts'
import { startProxy } from '../../proxy/proxy.ts'
import { readProxyCredentials, writeSecretFile } from '../../proxy/ways.ts'
import type { ListenAddress } from '../../proxy/listen.ts'
import { openService } from '../../service.ts'
import type { ProxyOptions } from './proxy.options.ts'

/** The time for requests under way once the proxy is asked to end. */
const graceMs = 10_000

export const runProxy: RunCommand<ProxyOptions> = async (_args, options, context) => {
  const address = readAddress(options, context.platform)
  const { allow = [], readOnly = false, secretFile, printKeys = false, json, quiet } = options
  if (json && quiet) throw new UsageError('--json and --quiet exclude each other')
  const credentials = readProxyCredentials(context.env, {
    secretFile,
    printKeys,
    tellsSecret: 'port' in address,
  })
  const service = await openService(options, context)
  try {
    const proxy = await startProxy({
      service,
      address,
      allow,
      isReadOnly: readOnly,
      credentials,
      log: quiet ? 'none' : json ? 'json' : 'text',
      context,
    })
    try {
      if (secretFile !== undefined) await writeSecretFile(secretFile, credentials.secret)
      for (const note of credentials.notes) context.stderr.write(`svc-auth: ${note}\n`)
      context.stdout.write(`listening on ${proxy.url}\n`)
      await proxy.ready()
      await untilAborted(context)
    } finally {
      await proxy.close(graceMs)
    }
  } finally {
    await service.close()
  }
  return exitCodes.done
}

function readAddress(
  { port, socket }: ProxyOptions,
  platform: CommandContext['platform'],
): ListenAddress {
  if (socket !== undefined) {
    if (port !== undefined) throw new UsageError('--port and --socket exclude each other')
    if (platform === 'win32')
      throw new UsageError('--socket needs Unix sockets, which Windows lacks')
    return { socket }
  }
  const text = port ?? '8377'
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) {
    throw new UsageError(`--port ${JSON.stringify(text)} is no number from 0 to 65535`)
  }
  return { port: Number(text) }
}

function untilAborted({ signal }: CommandContext): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
