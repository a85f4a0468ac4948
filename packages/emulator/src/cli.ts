#!/usr/bin/env node
import { parseArgs } from 'node:util'
import { createEmulator } from './emulator.ts'
import { logLine } from './log.ts'
import { defaultApiKeys, defaultUsers } from './options.ts'

const usage: string = `svc-emulator: a local stand-in for the service

  --port <number>    the port to listen on (default: a free one)
  --host <address>   the address to bind (default: 127.0.0.1)
  --region <name>    the region that signatures must name (default: us-east-1)
  --help             show this help
`

const maxUnreadBytes = 1024 * 1024

const command = readCommandLine(process.argv.slice(2))
if (command.kind === 'help') {
  process.stdout.write(usage)
} else if (command.kind === 'wrong') {
  process.stderr.write(`svc-emulator: ${command.message}\n\n${usage}`)
  process.exitCode = 2
} else {
  await runServer(command)
}

async function runServer({ port, host, region }: { port: number; host: string; region: string }) {
  const { stdout } = process
  // Its reader may have gone, or read nothing: then it serves without a log.
  stdout.on('error', () => undefined)
  const emulator = createEmulator({
    region,
    // It may run for days, and nobody reads what it recorded.
    maxRecordedRequests: 1,
    onRequest: (request) => {
      if (stdout.writableLength < maxUnreadBytes) stdout.write(`${logLine(request)}\n`)
    },
  })
  try {
    const server = await emulator.listen({ port, host })
    stdout.write(welcome(server.url, region))
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => void server.close())
    }
  } catch (error) {
    process.stderr.write(
      `svc-emulator: ${error instanceof Error ? error.message : String(error)}\n`,
    )
    process.exitCode = 1
  }
}

function welcome(url: URL, region: string): string {
  const users = defaultUsers.map(({ username, password, parentUid }) => {
    const parent = parentUid === undefined ? '' : `  ParentUid ${parentUid}`
    return `  user      ${username}  password ${password}${parent}`
  })
  const apiKeys = defaultApiKeys.map(
    ({ accessKeyId, secretAccessKey }) => `  API key   ${accessKeyId}  secret ${secretAccessKey}`,
  )
  return [`Listening on ${url.href}`, `  region    ${region}`, ...users, ...apiKeys, '']
    .map((line) => `${line}\n`)
    .join('')
}

type CommandLine =
  | {
      readonly kind: 'serve'
      readonly port: number
      readonly host: string
      readonly region: string
    }
  | { readonly kind: 'help' }
  | { readonly kind: 'wrong'; readonly message: string }

function readCommandLine(args: readonly string[]): CommandLine {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        port: { type: 'string', default: '0' },
        host: { type: 'string', default: '127.0.0.1' },
        region: { type: 'string', default: 'us-east-1' },
        help: { type: 'boolean', default: false },
      },
    })
    if (values.help) return { kind: 'help' }
    const { host, region } = values
    if (!/^\d{1,5}$/.test(values.port) || Number(values.port) > 65_535) {
      return {
        kind: 'wrong',
        message: `--port must be a number from 0 to 65535, not "${values.port}"`,
      }
    }
    if (host === '') return { kind: 'wrong', message: '--host must not be empty' }
    if (!/^[^/,\s]+$/.test(region)) {
      return { kind: 'wrong', message: `--region must be a name, not "${region}"` }
    }
    return { kind: 'serve', port: Number(values.port), host, region }
  } catch (error) {
    return { kind: 'wrong', message: error instanceof Error ? error.message : String(error) }
  }
}
