import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { nearestName } from './checks.ts'
import { type EmulatorOptions, readEmulatorOptions } from './options.ts'

/** The help of `svc-emulator`. */
export const usage: string = `svc-emulator: a local stand-in for the service

  npx --yes @svc/emulator --port 8080
  npx --yes @svc/emulator --users users.json --keys keys.json

  --port <number>    the port to listen on (default: a free one)
  --host <address>   the address to bind (default: 127.0.0.1)
  --region <name>    the region that signatures must name (default: us-east-1)
  --users <file>     the users who can log in, instead of the default ones:
                     [{ "username": "reader@example.com", "password": "a password" }]
  --keys <file>      the API keys that can sign, instead of the default one:
                     [{ "accessKeyId": "READERKEY", "secretAccessKey": "not-a-secret" }]
  --help, -h         show this help
`

const flags = {
  port: { type: 'string', default: '0' },
  host: { type: 'string', default: '127.0.0.1' },
  region: { type: 'string', default: 'us-east-1' },
  users: { type: 'string' },
  keys: { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
} as const

/** A command line that can be carried out. */
export type Command =
  | { readonly kind: 'help' }
  | {
      readonly kind: 'serve'
      readonly port: number
      readonly host: string
      readonly options: Pick<EmulatorOptions, 'apiKeys' | 'region' | 'users'>
    }

/** Says what is wrong with a command line: the flag, or the file and its field. */
export class UsageError extends Error {}

/**
 * Reads a command line and the files that it names.
 *
 * @throws UsageError if something is wrong with them.
 */
export async function readCommandLine(args: readonly string[]): Promise<Command> {
  const { port, host, region, help, ...files } = readFlags([...args])
  if (help) return { kind: 'help' }
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) {
    throw new UsageError(`--port must be a number from 0 to 65535, not "${port}"`)
  }
  if (host === '') throw new UsageError('--host must not be empty')
  if (!/^[^/,\s]+$/.test(region)) {
    throw new UsageError(`--region must be a name, not "${region}"`)
  }
  const options: { -readonly [Name in keyof EmulatorOptions]: EmulatorOptions[Name] } = { region }
  if (files.users !== undefined) {
    options.users = await readJson('--users', files.users)
    checkFile(options, files.users)
  }
  if (files.keys !== undefined) {
    options.apiKeys = await readJson('--keys', files.keys)
    checkFile(options, files.keys)
  }
  return { kind: 'serve', port: Number(port), host, options }
}

function readFlags(args: string[]) {
  const { tokens } = parseArgs({ args, options: flags, strict: false, tokens: true })
  for (const token of tokens) {
    if (token.kind !== 'option' || Object.hasOwn(flags, token.name)) continue
    // The value is not told: it may be a secret.
    const names = Object.keys(flags)
    const nearest = nearestName(token.name, names, 0.62)
    const remedy = nearest ? `did you mean --${nearest}?` : `the flags are --${names.join(', --')}`
    throw new UsageError(`${token.rawName} is not known; ${remedy}`)
  }
  try {
    return parseArgs({ args, options: flags }).values
  } catch (error) {
    throw new UsageError(messageOf(error))
  }
}

/** Reads a file of JSON, whose type is checked with the other options. */
async function readJson<Value>(flag: string, path: string): Promise<Value> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    throw new UsageError(`${flag}: ${messageOf(error)}`)
  }
  try {
    const value: Value = JSON.parse(text.replace(/^\uFEFF/, ''))
    return value
  } catch (error) {
    // The rest of the message quotes the file, and with it perhaps a password.
    const offset = /at position (\d+)/.exec(messageOf(error))?.[1]
    const line = text.slice(0, Number(offset ?? 0)).split('\n').length
    throw new UsageError(
      `${flag}: ${path} is not JSON${offset === undefined ? '' : `; see line ${line}`}`,
    )
  }
}

/** Throws what `createEmulator` would, as an error of the file that was read last. */
function checkFile(options: EmulatorOptions, path: string): void {
  try {
    readEmulatorOptions(options)
  } catch (error) {
    throw new UsageError(`${path}: ${messageOf(error).replace(/^\[.*?\] \w+: /, '')}`)
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
