/// <reference types="node" />
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { TokenStore } from '../store.ts'
import { ignoreCodes, readFile, writePrivateFile } from './private-files.ts'
import type { System } from './system.ts'

/**
 * Keeps rotating sign-ins in the state folder. A marker beside the records tells a sign-in that has rotated: where its
 * record is gone, its first refresh token was spent long ago, and must not be sent again.
 *
 * @param former - The store in the cache folder. A sign-in that it holds stays there, since another version of this
 * package may use it at the same time.
 * @param markers - The folder of the markers.
 */
export function signInStore(
  system: System,
  state: TokenStore,
  former: TokenStore,
  markers: string,
): TokenStore {
  const markerOf = (key: string): string =>
    join(markers, createHash('sha256').update(key).digest('hex'))
  const storeOf = async (key: string): Promise<TokenStore> =>
    !(await state.get(key)) && (await former.get(key)) ? former : state

  return {
    async get(key) {
      const record = await (await storeOf(key)).get(key)
      if (record || (await readFile(system, markerOf(key))) === undefined) return record
      throw new Error('[@svc/auth-token] the record of a sign-in that has rotated is gone')
    },
    async compareAndSwap(key, record, write) {
      if (!(await (await storeOf(key)).compareAndSwap(key, record, write))) return false
      // Before anything is sent: the note that says so is such a write.
      await system.files.mkdir(markers, { mode: 0o700 }).catch(ignoreCodes('EEXIST'))
      await writePrivateFile(system, markerOf(key), '').catch(ignoreCodes('EEXIST'))
      return true
    },
    lock: async (key, lock) => (await storeOf(key)).lock(key, lock),
    unlock: async (key, owner) => (await storeOf(key)).unlock(key, owner),
  }
}
