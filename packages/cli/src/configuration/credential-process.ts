import { spawn } from 'node:child_process'
import type { CommandContext } from '../context.ts'
import { errorCode, UsageError } from '../exit.ts'

/** The secrets that a command printed, as far as it printed them. */
export interface ProcessCredentials {
  readonly password: string | undefined
  readonly accessKeyId: string | undefined
  readonly secretAccessKey: string | undefined
  readonly sessionToken: string | undefined
  /** The instant at which the key expires, in epoch milliseconds. */
  readonly expiresAt: number | undefined
}

type Outside = Pick<CommandContext, 'signal' | 'stdin' | 'platform'>

const longestRunMs = 60_000
/** The time that a command which is ended has to end by itself. */
const graceMs = 500

/** What is printed, for the help and messages; a session key has a `SessionToken` and an `Expiration` besides. */
export const processForm = '{"Version":1,"AccessKeyId":"…","SecretAccessKey":"…","Password":"…"}'

/**
 * Runs a command that prints credentials as JSON, in the form that AWS's programs read, with `Password` beside it.
 *
 * @throws UsageError naming the profile and never what the command printed.
 * @see https://docs.aws.amazon.com/sdkref/latest/guide/feature-process-credentials.html
 */
export async function runCredentialProcess(
  command: string | readonly string[],
  profile: string,
  outside: Outside,
): Promise<ProcessCredentials> {
  const fail = (what: string): UsageError =>
    new UsageError(`the credential_process of the profile ${profile} ${what}`)
  const output = await runForOutput(command, fail, outside).catch((error: unknown) => {
    if (error instanceof UsageError || outside.signal.aborted) throw error
    throw fail(`could not be run: ${errorCode(error)}`)
  })
  const noForm = `printed no JSON of the form ${processForm}, of which the key or Password may be left out`
  let printed: unknown
  try {
    printed = JSON.parse(output)
  } catch {
    throw fail(noForm)
  }
  const read = (name: string): string | undefined => {
    const value: unknown = Object(printed)[name]
    if (value === undefined || value === null) return undefined
    if (typeof value !== 'string' || value === '') throw fail(`printed a ${name} that is no text`)
    return value
  }
  const expiration = read('Expiration')
  const expiresAt = expiration === undefined ? undefined : Date.parse(expiration)
  if (Number.isNaN(expiresAt)) throw fail('printed an Expiration that is no instant')
  const credentials = {
    password: read('Password'),
    accessKeyId: read('AccessKeyId'),
    secretAccessKey: read('SecretAccessKey'),
    sessionToken: read('SessionToken'),
    expiresAt,
  }
  if (Object.values(credentials).every((part) => part === undefined)) throw fail(noForm)
  return credentials
}

function runForOutput(
  command: string | readonly string[],
  fail: (what: string) => UsageError,
  { signal, stdin, platform }: Outside,
): Promise<string> {
  signal.throwIfAborted()
  const [program = '', ...args] = typeof command === 'string' ? [command] : command
  // A group of its own ends as a whole, and cannot ask on the terminal.
  const isGroup = platform.isPosix && stdin.isTTY !== true
  return new Promise((resolve, reject) => {
    // Its words are its own.
    const child = spawn(program, args, {
      shell: typeof command === 'string',
      stdio: ['inherit', 'pipe', 'inherit'],
      detached: isGroup,
      windowsHide: true,
    })
    let failure: unknown
    let lastResort: NodeJS.Timeout | undefined
    const end = (reason: unknown): void => {
      if (failure !== undefined) return
      failure = reason
      platform.endProgram(child, isGroup, 'SIGTERM')
      lastResort = setTimeout(() => {
        platform.endProgram(child, isGroup, 'SIGKILL')
        // Somebody else may hold the pipe.
        child.stdout.destroy()
      }, graceMs)
    }
    const interrupt = (): void => end(signal.reason)
    signal.addEventListener('abort', interrupt)
    const limit = setTimeout(() => end(fail('took longer than 60 s')), longestRunMs)
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (piece: string) => (output += piece))
    child.once('error', (error) => (failure ??= error))
    child.once('close', (status, killedBy) => {
      clearTimeout(limit)
      clearTimeout(lastResort)
      signal.removeEventListener('abort', interrupt)
      if (failure !== undefined) {
        // Children of a shell outlive it.
        platform.endProgram(child, isGroup, 'SIGKILL')
        reject(failure)
      } else if (killedBy !== null) reject(fail(`was ended by ${killedBy}`))
      else if (status !== 0) reject(fail(`ended with the exit code ${status}`))
      else resolve(output)
    })
  })
}
