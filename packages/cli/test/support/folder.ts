import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** The bits of a mode by which others can use a file; Windows has none. */
export const sharedBits = process.platform === 'win32' ? 0 : 0o077

/** Makes an empty folder, for the user of a test, and removes it afterwards, once nothing writes there any more. */
export async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-auth-command-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 }))
  return folder
}
