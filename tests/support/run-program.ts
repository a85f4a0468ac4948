import { spawn } from 'node:child_process'

/** The status and the output of a program that has ended. */
export interface Finished {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Variables of a program, beside those of this process; `undefined` takes one away. */
export type Environment = Readonly<Record<string, string | undefined>>

/** Runs a program to its end, in a folder if one is given, beside a server that runs in this process. */
export function run(
  command: string,
  args: readonly string[],
  input = '',
  environment: Environment = {},
  folder?: string,
): Promise<Finished> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env: { ...process.env, ...environment }, cwd: folder })
    const output = { stdout: '', stderr: '' }
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text))
    child.once('error', reject)
    child.once('close', (status) => resolve({ status, ...output }))
    // It may end before it has read anything.
    child.stdin.on('error', () => {})
    child.stdin.end(input)
  })
}

/**
 * Runs a command in a folder and returns its output.
 *
 * @throws {Error} if it fails, with all that it printed.
 */
export async function outputIn(
  folder: string,
  [command, ...args]: readonly [command: string, ...args: string[]],
  environment?: Environment,
): Promise<string> {
  const { status, stdout, stderr } = await run(command, args, '', environment, folder)
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed\n${stdout}${stderr}`)
  return stdout
}
