import { once } from 'node:events'
import {
  type CommandDefinition,
  http2Option,
  type Lists,
  type Switches,
  type Texts,
} from '../command.ts'
import type { CommandContext } from '../context.ts'
import { exitCodes, UsageError } from '../exit.ts'
import { describeError } from '../output/report-error.ts'
import type { ListenAddress } from '../proxy/listen.ts'
import { readProxyCredentials, removeSecretFile, writeSecretFile } from '../proxy/ways.ts'
import { openService } from '../service.ts'

type ProxyOptions = Texts<'port' | 'socket' | 'secretFile'> &
  Lists<'allow'> &
  Switches<'readOnly' | 'printKeys' | 'json' | 'quiet'>

export const proxyCommand: CommandDefinition<ProxyOptions> = {
  name: 'proxy',
  summary: 'listen on loopback and add the credential to each request',
  description:
    'Listens on this machine alone, adds a token or a signature to each request, as its path needs, and forwards it to the service: ' +
    'every tool can use the service, and none has to hold its keys. Nobody is let in without the header x-svc-proxy-secret, ' +
    "a signature made with the proxy's own key pair, or the Unix socket. The first line on standard output says where it " +
    'listens, and a line for each request follows. The secret is read from SVC_AUTH_PROXY_SECRET, or made up and shown once on standard error; ' +
    'the key pair is read from SVC_AUTH_PROXY_ACCESS_KEY_ID and SVC_AUTH_PROXY_SECRET_ACCESS_KEY.',
  args: [],
  options: [
    {
      flags: '--port <number>',
      description: 'the port of 127.0.0.1; 0 takes a free one',
      default: '8377',
    },
    {
      flags: '--socket <path>',
      description:
        'a Unix socket in place of a port, in a folder of your own (mode 700); who may use it is let in',
    },
    {
      flags: '--allow <rule>',
      description:
        "forward only what a rule allows: methods, a path (* within a segment, ** for any number of segments) and further query parameters, such as 'GET,HEAD /V1/**' or 'PUT /V1/*?acl&tagging'",
      default: 'everything',
      isRepeatable: true,
    },
    { flags: '--read-only', description: 'forward GET and HEAD alone' },
    {
      flags: '--secret-file <file>',
      description:
        'write the secret there (mode 600) in place of showing it, in the form that curl -H @file takes',
    },
    {
      flags: '--print-keys',
      description:
        'make up a key pair for S3 tools and show it once on standard error, unless the environment has one',
    },
    http2Option,
    { flags: '--json', description: 'write lines of JSON' },
    { flags: '--quiet', description: 'write no line for requests' },
  ],
  examples: [
    {
      line: 'svc-auth proxy --secret-file proxy-header\n  curl -H @proxy-header http://127.0.0.1:8377/user/groups',
      does: 'let curl use the service; the second line runs in another shell',
    },
    {
      line: "svc-auth proxy --print-keys --allow 'GET,HEAD /V1/**' --allow 'PUT /V1/reports/*'",
      does: 'let an S3 tool read everything below /V1, and write reports',
    },
    {
      line: 'mkdir -p -m 700 ~/.svc && svc-auth proxy --socket ~/.svc/proxy.sock --read-only --json',
      does: 'let programs of this user read, over a Unix socket',
    },
  ],
  async run(_args, options, context) {
    const address = readAddress(options, context.platform)
    const { allow = [], readOnly = false, secretFile, printKeys = false, json, quiet } = options
    if (json && quiet) throw new UsageError('--json and --quiet exclude each other')
    const credentials = readProxyCredentials(context.env, {
      secretFile,
      printKeys,
      tellsSecret: 'port' in address,
    })
    const { startProxy } = await import('../proxy/proxy.ts')
    const service = await openService(options, context)
    const { configuration } = service
    try {
      const proxy = await startProxy({
        service,
        address,
        allow,
        isReadOnly: readOnly,
        credentials,
        describe: (error) => describeError(error, context.clock(), configuration.baseUrl).text,
        log: quiet ? 'none' : json ? 'json' : 'text',
        context,
      })
      try {
        if (secretFile !== undefined) await writeSecretFile(secretFile, credentials.secret)
        for (const note of credentials.notes) context.stderr.write(`svc-auth: ${note}\n`)
        const listening = json
          ? JSON.stringify({ listening: proxy.url })
          : `listening on ${proxy.url}`
        context.stdout.write(`${listening}\n`)
        await proxy.ready()
        if (!context.signal.aborted) await once(context.signal, 'abort')
      } finally {
        await proxy.close(graceMs)
        if (secretFile !== undefined) await removeSecretFile(secretFile, credentials.secret)
      }
    } finally {
      await service.close()
    }
    return exitCodes.done
  },
}

/** The time for requests under way once the proxy is asked to end. */
const graceMs = 10_000

function readAddress(
  { port, socket }: ProxyOptions,
  platform: CommandContext['platform'],
): ListenAddress {
  if (socket !== undefined) {
    if (port !== undefined) throw new UsageError('--port and --socket exclude each other')
    if (!platform.isPosix) throw new UsageError('--socket needs Unix sockets, which Windows lacks')
    return { socket }
  }
  const text = port ?? '8377'
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) {
    throw new UsageError(`--port ${JSON.stringify(text)} is no number from 0 to 65535`)
  }
  return { port: Number(text) }
}
