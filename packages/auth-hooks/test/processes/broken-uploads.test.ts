import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const program = fileURLToPath(new URL('../fixtures/broken-uploads.ts', import.meta.url))
// A process that spins hears nothing else.
const limits = { timeout: 20_000, killSignal: 'SIGKILL' } as const

test.each([
  ['undici 8', 'the file is gone'],
  ['undici 7', 'the file is gone'],
  ['fetch', 'fetch failed'],
  ['axios over http', 'the file is gone'],
  ['axios over fetch', 'Network Error'],
  ['got', 'the file is gone'],
])('an upload that breaks off over HTTP/2 stops nothing else: %s', async (client, failure) => {
  const args = ['--conditions=@svc/source', '--no-warnings', program, client]
  const { stdout } = await promisify(execFile)(process.execPath, args, limits)
  expect(stdout.trim().split('\n')).toEqual([failure, failure, 'whole'])
})
