import { PassThrough, Readable } from 'node:stream'
import { type CommandContext, type Keyring, runProgram } from '../testing.ts'

/** A command that ended. */
export interface CommandResult {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

/** The outside of a command. */
export interface CommandOutside {
  /** The user's folder. */
  readonly home: string
  /** @default none */
  readonly env?: Readonly<Record<string, string>>
  /** Text on standard input. @default nothing */
  readonly stdin?: string
  /** @default none that answers */
  readonly keyring?: Keyring
  readonly clock?: () => number
  readonly signal?: AbortSignal
  readonly platform?: NodeJS.Platform
}

/** Runs a command within this process. */
export async function runCommand(
  argv: readonly string[],
  { home, env = {}, stdin = '', keyring, ...outside }: CommandOutside,
): Promise<CommandResult> {
  const stdout = collector()
  const stderr = collector()
  const context: CommandContext = {
    env,
    stdin: Readable.from(stdin === '' ? [] : [Buffer.from(stdin)]),
    stdout: stdout.stream,
    stderr: stderr.stream,
    platform: outside.platform ?? 'linux',
    home,
    clock: outside.clock ?? Date.now,
    signal: outside.signal ?? new AbortController().signal,
    openKeyring: async () => keyring,
  }
  const exitCode = await runProgram(argv, context)
  return { exitCode, stdout: stdout.text(), stderr: stderr.text() }
}

function collector() {
  const chunks: Buffer[] = []
  const stream = new PassThrough()
  stream.on('data', (chunk: Buffer) => chunks.push(chunk))
  return { stream, text: () => Buffer.concat(chunks).toString('utf8') }
}

/** A keyring in memory. */
export function memoryKeyring(): Keyring & { readonly entries: Map<string, string> } {
  const entries = new Map<string, string>()
  return {
    entries,
    get: (account) => entries.get(account),
    set: (account, secret) => void entries.set(account, secret),
    remove: (account) => void entries.delete(account),
  }
}
