/**
 * The command `svc-emulator`, for programs that have it as a part of theirs.
 *
 * @module @svc/emulator/command
 */
/// <reference types="node" />
import { readCommandLine, usage, UsageError } from './command-line.ts'
import { createEmulator } from './emulator.ts'
import { logLine } from './log.ts'
import { defaultApiKeys, defaultUsers, type EmulatorOptions } from './options.ts'

/** The streams of a command, and what ends it. */
export interface EmulatorCommandContext {
  /** Gets who can log in and sign, and a line for each request. */
  readonly stdout: NodeJS.WritableStream
  /** Gets the message of a command line that cannot be carried out. */
  readonly stderr: NodeJS.WritableStream
  /** Closes the server. */
  readonly signal: AbortSignal
}

const maxUnreadBytes = 1024 * 1024

/**
 * Runs an emulator until `signal` aborts, as the command `svc-emulator` does.
 *
 * @param args - The command line, such as `['--port', '8080']`.
 * @param name - The name of the command, for messages.
 * @returns the exit code: 0, 1 if it could not listen, or 2 for a wrong command line
 * @example
 * import { runEmulatorCommand } from '@svc/emulator/command'
 *
 * const ending = new AbortController()
 * process.once('SIGINT', () => ending.abort())
 * const { stdout, stderr } = process
 * const { signal } = ending
 * process.exitCode = await runEmulatorCommand(['--port', '8080'], { stdout, stderr, signal })
 */
export async function runEmulatorCommand(
  args: readonly string[],
  context: EmulatorCommandContext,
  name: string = 'svc-emulator',
): Promise<number> {
  try {
    const command = await readCommandLine(args)
    if (command.kind === 'help') context.stdout.write(usage)
    else await serve(command, context)
    return 0
  } catch (error) {
    const isUsage = error instanceof UsageError
    const isTaken = Object(error).code === 'EADDRINUSE'
    const said = error instanceof Error ? error.message : String(error)
    const message = isTaken ? `${said}; --port 0 takes a free port` : said
    context.stderr.write(`${name}: ${message}\n${isUsage ? `\n${usage}` : ''}`)
    return isUsage ? 2 : 1
  }
}

async function serve(
  {
    port,
    host,
    options,
  }: { readonly port: number; readonly host: string; readonly options: EmulatorOptions },
  { stdout, signal }: EmulatorCommandContext,
): Promise<void> {
  // Its reader may have gone, or read nothing: then it serves without a log.
  stdout.on('error', () => undefined)
  const emulator = createEmulator({
    ...options,
    // It may run for days, and nobody reads what it recorded.
    maxRecordedRequests: 1,
    onRequest: (request) => {
      const unreadBytes = 'writableLength' in stdout ? Number(stdout.writableLength) : 0
      if (unreadBytes < maxUnreadBytes) stdout.write(`${logLine(request)}\n`)
    },
  })
  const server = await emulator.listen({ port, host })
  stdout.write(welcome(server.url, options))
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
  await server.close()
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
