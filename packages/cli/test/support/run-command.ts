import { PassThrough, Readable } from 'node:stream'
import { type CommandContext, type Keyring, runProgram } from '../testing.ts'
import { emptyFolder } from './folder.ts'
import { platformDouble, processes, usual } from './platforms.ts'

/** A command that ended. */
export interface CommandResult {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

/** The outside of a command. */
export interface CommandOutside {
  /** The user's folder. @default an empty one */
  readonly home?: string
  /** @default none */
  readonly env?: Readonly<Record<string, string>>
  /** Standard input. @default nothing */
  readonly stdin?: string | Uint8Array
  /** `true` makes both outputs terminals. @default `false` */
  readonly isTerminal?: boolean
  /** @default none that responds */
  readonly keyring?: Keyring
  readonly clock?: () => number
  readonly signal?: AbortSignal
  readonly platform?: NodeJS.Platform
}

/** Runs a command within this process. */
export async function runCommand(
  argv: readonly string[],
  { home, env = {}, stdin = '', keyring, ...outside }: CommandOutside = {},
): Promise<CommandResult> {
  const stdout = collector(outside.isTerminal)
  const stderr = collector(outside.isTerminal)
  const folder = home ?? (await emptyFolder())
  const context: CommandContext = {
    env,
    stdin: Readable.from(stdin.length === 0 ? [] : [Buffer.from(stdin)]),
    stdout: stdout.stream,
    stderr: stderr.stream,
    platform: platformDouble({
      ...processes,
      ...(outside.platform ? { name: outside.platform, env } : usual(env, folder)),
      home: () => folder,
      keyring,
    }),
    clock: outside.clock ?? Date.now,
    signal: outside.signal ?? new AbortController().signal,
  }
  const exitCode = await runProgram(argv, context)
  return { exitCode, stdout: stdout.text(), stderr: stderr.text() }
}

function collector(isTTY = false) {
  const chunks: Buffer[] = []
  const stream = Object.assign(new PassThrough(), { isTTY })
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
