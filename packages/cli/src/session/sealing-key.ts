import { randomBytes, randomUUID } from 'node:crypto'
import { link, mkdir, rm, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readPrivateFile, writePrivateFile } from '../configuration/private-file.ts'
import type { CommandContext } from '../context.ts'
import { errorCode } from '../error-code.ts'

/** The random key that the record of a session is sealed with. */
export interface SealingKey {
  /** Resolves to the key, which is made where there is none. */
  read(): Promise<string>
  /** Forgets it. Nobody can open the record any more. */
  remove(): Promise<void>
}

/**
 * Keeps the key of a session in the keyring, or in a file beside its record where there is no keyring.
 *
 * @param account - Tells the session from others in the keyring.
 */
export function sealingKey(folder: string, account: string, context: CommandContext): SealingKey {
  const file = join(folder, 'key')
  const create = async (): Promise<string> => {
    const made = `random-key:${randomBytes(32).toString('base64url')}`
    const keyring = await context.openKeyring()
    if (keyring) {
      keyring.set(account, made)
      // Another process may have done the same: the later one counts for both.
      return keyring.get(account) ?? made
    }
    await mkdir(folder, { recursive: true, mode: 0o700 })
    return (await createFile(file, made)) ? made : ((await readPrivateFile(file, context)) ?? made)
  }
  return {
    async read() {
      const kept = (await context.openKeyring())?.get(account)
      return kept ?? (await readPrivateFile(file, context)) ?? (await create())
    },
    async remove() {
      ;(await context.openKeyring())?.remove(account)
      // Another command may be writing there at this moment.
      await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 })
    },
  }
}

/** Makes a whole file, unless there is one. Returns `false` if another process was faster. */
async function createFile(path: string, text: string): Promise<boolean> {
  const unlinked = `${path}.${randomUUID()}`
  await writeFile(unlinked, text, { mode: 0o600 })
  try {
    await link(unlinked, path)
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    // Some file systems have no links.
    await writePrivateFile(path, text)
    return true
  } finally {
    await unlink(unlinked).catch(() => {})
  }
}
