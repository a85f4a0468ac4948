import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'
import { emptyFolder } from './folder.ts'
import { cleanEnvironment, commandArguments } from './run-process.ts'

/** A program that runs as a process of its own. */
export interface RunningProgram {
  readonly child: ChildProcessWithoutNullStreams
  /** Resolves when it has ended and all that it wrote is read. */
  readonly ended: Promise<{ status: number | null; signal: string | null; stderr: string }>
}

/** Starts `svc-auth` with nobody reading its standard output yet. Killed when the test ends. */
export async function startProgram(
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
  command: readonly string[] = [process.execPath, ...commandArguments],
): Promise<RunningProgram> {
  const [file = '', ...args] = [...command, ...argv]
  const clean = cleanEnvironment(await emptyFolder())
  const child = spawn(file, args, { env: { ...process.env, ...clean, ...env } })
  onTestFinished(() => void child.kill('SIGKILL'))
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  // It may end before it has read everything.
  child.stdin.on('error', () => {})
  const ended = once(child, 'close').then(([status, signal]) => ({
    status: status as number | null,
    signal: signal as string | null,
    stderr,
  }))
  return { child, ended }
}
