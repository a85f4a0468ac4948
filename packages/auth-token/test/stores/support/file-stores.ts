import { createHash } from 'node:crypto'
import * as fs from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TokenStore } from '@svc/auth-token'
import { expect, onTestFinished } from 'vitest'
import {
  type FileState,
  openFileStore,
  patientSystem,
  readState,
  type System,
} from '../../testing.ts'

export const day = 24 * 60 * 60 * 1000
export const key = 'key'

/** A folder that goes with the test. */
export async function scratchFolder(): Promise<string> {
  const folder = await fs.mkdtemp(join(await fs.realpath(tmpdir()), 'svc-auth-'))
  onTestFinished(() => fs.rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}

export async function storeFolder(): Promise<string> {
  return join(await scratchFolder(), 'store')
}

export function keyFolder(path: string, name = key): string {
  return join(path, createHash('sha256').update(name).digest('hex'))
}

export async function lock(store: TokenStore, owner = 'owner'): Promise<number | undefined> {
  return store.lock(key, { owner, ttlMs: day })
}

export async function write(store: TokenStore, generation = 1, fencingToken = 1): Promise<boolean> {
  const record = { generation, sealed: `sealed-${generation}` }
  return store.compareAndSwap(key, record, { fencingToken, ttlMs: day })
}

/** Changes fields of a file of JSON. */
export async function edit(file: string, changes: object): Promise<void> {
  const content: object = JSON.parse(await fs.readFile(file, 'utf8'))
  await fs.writeFile(file, JSON.stringify({ ...content, ...changes }))
}

/** File stores on one system, and a look at their files. */
export function storesOn(system: System) {
  const platform = patientSystem(system)
  const open = (path: string, clock?: () => number): TokenStore =>
    openFileStore(system, { path, clock })

  const filesOf = async (path: string): Promise<FileState & { record: string; lock: string }> => {
    const state = await readState(platform, keyFolder(path))
    const file = (name: string): string => join(keyFolder(path), name)
    return { ...state, record: file(state.recordFile), lock: file(state.lockFile) }
  }

  /** Lists all but folders of keys, their states and the files that these name. */
  const leftovers = async (path: string): Promise<string[]> => {
    const found: string[] = []
    for (const folder of await fs.readdir(path)) {
      if (!/^[0-9a-f]{64}$/.test(folder)) {
        found.push(folder)
        continue
      }
      const state = await readState(platform, join(path, folder))
      const { generation, recordFile, fencingToken, lockFile } = state
      const numbers = [generation, recordFile, fencingToken, lockFile]
      const known = new Set([['state', ...numbers].join('.'), recordFile, lockFile])
      const names = await fs.readdir(join(path, folder))
      found.push(...names.filter((name) => !known.has(name)))
    }
    return found
  }

  /** A store with a record of generation 1 and a lock of fencing token 1. */
  const usedStore = async () => {
    const path = await storeFolder()
    const store = open(path)
    expect(await lock(store)).toBe(1)
    expect(await write(store)).toBe(true)
    return { path, store, ...(await filesOf(path)) }
  }

  return { platform, open, filesOf, leftovers, usedStore }
}
