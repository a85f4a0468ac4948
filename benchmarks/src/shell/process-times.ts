import { spawn } from 'node:child_process'
import { inRounds } from '../measure/in-rounds.ts'

/** A program with its arguments, and the name that it has on the page. */
export interface ShellLine {
  readonly name: string
  readonly command: readonly [program: string, ...args: string[]]
  readonly environment?: Readonly<Record<string, string>>
}

/** The times of a whole process, from its start to its end. */
export interface ProcessTimes {
  readonly name: string
  /** In milliseconds by round. */
  readonly rounds: readonly number[]
}

/**
 * Runs each line as a process of its own, in turn.
 *
 * @throws Error if one fails, with what it wrote on standard error.
 */
export async function processTimes(
  lines: readonly ShellLine[],
  rounds: number,
): Promise<ProcessTimes[]> {
  const taken = await inRounds(lines, rounds, timeProcess)
  return lines.map(({ name }, place) => ({ name, rounds: taken[place] ?? [] }))
}

/** Resolves to the milliseconds that a process takes. */
export async function timeProcess({ command, environment }: ShellLine): Promise<number> {
  const [program, ...args] = command
  const startedAt = performance.now()
  const child = spawn(program, args, {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let errors = ''
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()))
  const status = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  const elapsedMs = performance.now() - startedAt
  if (status !== 0) throw new Error(`${command.join(' ')} ended with ${status}: ${errors}`)
  return elapsedMs
}
