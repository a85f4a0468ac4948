import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { expect, onTestFinished } from 'vitest'

/** Starts a web server that asks for Digest, and resolves to its origin. It ends with the test, and so does its folder. */
export async function startJudge(
  program: string,
  parameters: readonly string[],
  { folder, port }: { readonly folder: string; readonly port: number },
): Promise<string> {
  const child = spawn(program, parameters, { stdio: 'inherit' })
  const ended = once(child, 'close')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
    await rm(folder, { recursive: true, force: true })
  })
  const origin = `http://127.0.0.1:${port}`
  await expect
    .poll(() =>
      fetch(origin).then(
        ({ status }) => status,
        () => 0,
      ),
    )
    .toBe(401)
  return origin
}
