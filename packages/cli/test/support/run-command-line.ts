import { PassThrough } from 'node:stream'
import { onTestFinished } from 'vitest'
import { createEmulator, defaultApiKeys, defaultUsers, type EmulatorOptions } from '@svc/emulator'
import { type CommandContext, runProgram } from '../testing.ts'
import { emptyFolder } from './folder.ts'
import { platformDouble, processes, usual } from './platforms.ts'

/** The outcome of a command line. */
export interface Outcome {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

/** The circumstances of a command line that differ from a pipe with nothing in it. */
export interface Circumstances {
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly input?: string | Uint8Array
  readonly now?: number
  /** The user's folder; by default an empty one. */
  readonly home?: string
  /** Makes both outputs terminals. */
  readonly isTerminal?: boolean
  readonly signal?: AbortSignal
}

/** Carries out a command line in this process. */
export async function runCommandLine(
  argv: readonly string[],
  { env = {}, input = '', now, isTerminal = false, signal, home }: Circumstances = {},
): Promise<Outcome> {
  const output = { stdout: collect(isTerminal), stderr: collect(isTerminal) }
  const stdin = new PassThrough()
  stdin.end(input)
  const folder = home ?? (await emptyFolder())
  const context: CommandContext = {
    env,
    stdin,
    stdout: output.stdout.stream,
    stderr: output.stderr.stream,
    platform: platformDouble({ ...processes, ...usual(env, folder) }),
    clock: () => now ?? Date.now(),
    signal: signal ?? new AbortController().signal,
  }
  const exitCode = await runProgram(argv, context)
  return { exitCode, stdout: output.stdout.text(), stderr: output.stderr.text() }
}

function collect(isTTY: boolean) {
  const chunks: Buffer[] = []
  const stream = Object.assign(new PassThrough(), { isTTY })
  stream.on('data', (chunk: Buffer) => chunks.push(chunk))
  return { stream, text: () => Buffer.concat(chunks).toString() }
}

/** Starts an emulator, with the environment variables of its first user and key. */
export async function startService(options: EmulatorOptions = {}) {
  const emulator = createEmulator(options)
  const server = await emulator.listen()
  onTestFinished(() => server.close())
  const [apiKey = defaultApiKeys[0]] = options.apiKeys ?? []
  const [user] = defaultUsers
  const env: Record<string, string> = {
    SVC_AUTH_BASE_URL: server.baseUrl,
    SVC_AUTH_REGION: options.region ?? 'us-east-1',
    SVC_AUTH_ACCESS_KEY_ID: apiKey.accessKeyId,
    SVC_AUTH_SECRET_ACCESS_KEY: apiKey.secretAccessKey,
    SVC_AUTH_USERNAME: user.username,
    SVC_AUTH_PASSWORD: user.password,
  }
  return { emulator, baseUrl: server.baseUrl, url: server.url, env }
}
