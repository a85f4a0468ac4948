#!/usr/bin/env node
import { readCommandLine, usage, UsageError } from './command-line.ts'
import { createEmulator } from './emulator.ts'
import { logLine } from './log.ts'
import { defaultApiKeys, defaultUsers, type EmulatorOptions } from './options.ts'

const maxUnreadBytes = 1024 * 1024

try {
  const command = await readCommandLine(process.argv.slice(2))
  if (command.kind === 'help') process.stdout.write(usage)
  else await runServer(command)
} catch (error) {
  const isUsage = error instanceof UsageError
  const message = error instanceof Error ? error.message : String(error)
  process.stderr.write(`svc-emulator: ${message}\n${isUsage ? `\n${usage}` : ''}`)
  process.exitCode = isUsage ? 2 : 1
}

async function runServer({
  port,
  host,
  options,
}: {
  readonly port: number
  readonly host: string
  readonly options: EmulatorOptions
}) {
  const { stdout } = process
  // Its reader may have gone, or read nothing: then it serves without a log.
  stdout.on('error', () => undefined)
  const emulator = createEmulator({
    ...options,
    // It may run for days, and nobody reads what it recorded.
    maxRecordedRequests: 1,
    onRequest: (request) => {
      if (stdout.writableLength < maxUnreadBytes) stdout.write(`${logLine(request)}\n`)
    },
  })
  const server = await emulator.listen({ port, host })
  stdout.write(welcome(server.url, options))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void server.close())
  }
}

/** Says who can log in and sign. Only the secrets of the defaults are shown, since those are none. */
function welcome(url: URL, { region = '', users, apiKeys }: EmulatorOptions): string {
  const userLines = (users ?? defaultUsers).map(({ username, password, parentUid }) => {
    const secret = users === undefined ? `  password ${password}` : ''
    const parent = parentUid === undefined ? '' : `  ParentUid ${parentUid}`
    return `  user      ${username}${secret}${parent}`
  })
  const keyLines = (apiKeys ?? defaultApiKeys).map(({ accessKeyId, secretAccessKey }) => {
    const secret = apiKeys === undefined ? `  secret ${secretAccessKey}` : ''
    return `  API key   ${accessKeyId}${secret}`
  })
  return [`Listening on ${url.href}`, `  region    ${region}`, ...userLines, ...keyLines, '']
    .map((line) => `${line}\n`)
    .join('')
}
