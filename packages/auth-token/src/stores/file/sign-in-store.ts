/// <reference types="node" />
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { TokenStore } from '../store.ts'
import { ignoreCodes } from './file-errors.ts'
import type { Platform } from './platform.ts'
import { writePrivateFile } from './private-files.ts'

/**
 * Keeps rotating sign-ins in the state folder. A marker beside the records tells a sign-in that has rotated: where its
 * record is gone, its first refresh token was spent long ago, and must not be sent again.
 *
 * @param former - The store in the cache folder. A sign-in that it holds stays there, since another version of this
 * package may use it at the same time.
 * @param markers - The folder of the markers.
 */
export function signInStore(
  platform: Platform,
  state: TokenStore,
  former: TokenStore,
  markers: string,
): TokenStore {
  const chosen = new Map<string, TokenStore>()
  const markerOf = (key: string): string =>
    join(markers, createHash('sha256').update(key).digest('hex'))
  const isMarked = async (key: string): Promise<boolean> =>
    (await platform.files.lstat(markerOf(key)).catch(ignoreCodes('ENOENT'))) !== undefined
  const storeOf = async (key: string): Promise<TokenStore> => {
    const known = chosen.get(key)
    if (known) return known
    const isFormer = !(await state.get(key)) && (await former.get(key)) !== undefined
    const store = isFormer ? former : state
    chosen.set(key, store)
    return store
  }

  return {
    async get(key) {
      const record = await (await storeOf(key)).get(key)
      if (record || !(await isMarked(key))) return record
      throw new Error('[@svc/auth-token] the record of a sign-in that has rotated is gone')
    },
    async compareAndSwap(key, record, write) {
      const store = await storeOf(key)
      if (!(await store.compareAndSwap(key, record, write))) return false
      // Before anything is sent: the note that says so is such a write.
      if (!(await isMarked(key))) await mark(platform, markers, markerOf(key))
      return true
    },
    lock: async (key, lock) => (await storeOf(key)).lock(key, lock),
    unlock: async (key, owner) => (await storeOf(key)).unlock(key, owner),
  }
}

async function mark(platform: Platform, folder: string, marker: string): Promise<void> {
  await platform.files.mkdir(folder, { mode: 0o700 }).catch(ignoreCodes('EEXIST'))
  // Another process may have made it meanwhile.
  await writePrivateFile(platform, marker, '').catch(ignoreCodes('EEXIST'))
}
