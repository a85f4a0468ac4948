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
 * @param markers - The folder of the markers.
 */
export function signInStore(system: System, state: TokenStore, markers: string): TokenStore {
  const markerOf = (key: string): string =>
    join(markers, createHash('sha256').update(key).digest('hex'))

  return {
    ...state,
    async get(key) {
      const record = await state.get(key)
      if (record || (await readFile(system, markerOf(key))) === undefined) return record
      throw new Error('[@svc/auth-token] the record of a sign-in that has rotated is gone')
    },
    async compareAndSwap(key, record, write) {
      if (!(await state.compareAndSwap(key, record, write))) return false
      // Before anything is sent: the note that says so is such a write.
      await system.files.mkdir(markers, { mode: 0o700 }).catch(ignoreCodes('EEXIST'))
      await writePrivateFile(system, markerOf(key), '').catch(ignoreCodes('EEXIST'))
      return true
    },
  }
}
