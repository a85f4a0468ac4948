import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

/** The arguments of Node that run `svc-emulator` from its source. */
export const commandArguments: readonly string[] = [
  '--conditions=@svc/source',
  '--disable-warning=ExperimentalWarning',
  fileURLToPath(new URL('../../src/cli.ts', import.meta.url)),
]

/** Starts the command and waits for its last line. Killed when the test ends. */
export async function startCommand(...args: readonly string[]) {
  const child = spawn(process.execPath, [...commandArguments, ...args])
  onTestFinished(() => void child.kill('SIGKILL'))
  let stdout = ''
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    stdout += String(chunk)
    if (stdout.endsWith('\n\n')) break
  }
  return { child, stdout, url: /http:\S+/.exec(stdout)?.[0] ?? '' }
}
