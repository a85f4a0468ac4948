import * as fs from 'node:fs/promises'
import { join } from 'node:path'
import type { TokenStore } from '@svc/auth-token'
import { describe, expect, test } from 'vitest'
import { type OpenFile, type System, thisSystem } from '../testing.ts'
import { day, key, keyFolder, lock, storeFolder, storesOn, write } from './support/file-stores.ts'
import { systemError, systems, windowsSystem } from './support/systems.ts'

const hasDoubles = systems.length > 1

/** Windows with a scanner that looks so many times, and with what was waited for. */
function pausedWindows(scans: number): { system: System; pausesMs: number[] } {
  const pausesMs: number[] = []
  const windows = windowsSystem(scans)
  const wait = async (ms: number): Promise<void> => {
    pausesMs.push(ms)
    await windows.wait(ms)
  }
  return { system: { ...windows, wait }, pausesMs }
}

describe.each(systems)('on $name', ({ system }) => {
  const { open } = storesOn(system)

  test('every name is in lower case, no device, and fits into any disk and path', async () => {
    const path = await storeFolder()
    const store = open(path)
    const last = Number.MAX_SAFE_INTEGER
    expect(await lock(store)).toBe(1)
    expect(await write(store)).toBe(true)
    expect(await store.lock(key, { owner: 'owner', ttlMs: last })).toBe(1)
    const names = await fs.readdir(path, { recursive: true, encoding: 'utf8' })
    expect(names).toHaveLength(4)
    for (const name of names) {
      expect(name).toBe(name.toLowerCase())
      expect(name).not.toMatch(/(?:^|[\\/])(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)|[ .]$|[<>:"|?*]/)
      // eCryptfs has names of 143 bytes. A path of Windows has 260, and some 60 lead to its cache folder.
      expect(name.length).toBeLessThan(200)
      for (const part of name.split(/[\\/]/)) expect(part.length).toBeLessThan(143)
    }
  })
})

describe.runIf(hasDoubles)('on a system whose folders can be flushed', () => {
  test('a new state is on the disk before anything of the old one is removed', async () => {
    const steps: string[] = []
    const { files } = thisSystem
    const path = await storeFolder()
    const { open } = storesOn({
      ...thisSystem,
      files: {
        ...files,
        async open(file, flags, mode) {
          const handle = await files.open(file, flags, mode)
          const sync = handle.sync.bind(handle)
          handle.sync = async () => {
            steps.push(`sync ${(await fs.lstat(file)).isDirectory() ? 'folder' : 'file'}`)
            await sync()
          }
          return handle
        },
        async rename(from, to) {
          steps.push('rename')
          await files.rename(from, to)
        },
        async unlink(file) {
          steps.push('unlink')
          await files.unlink(file)
        },
      },
    })
    const store = open(path)
    const change = ['sync file', 'rename', 'sync folder']
    expect(await write(store, 1, 0)).toBe(true)
    expect(steps.splice(0, 6)).toEqual([...change, ...change])
    steps.length = 0
    expect(await write(store, 2, 0)).toBe(true)
    expect(steps.splice(0, 3)).toEqual(change)
    expect(new Set(steps)).toEqual(new Set(['unlink']))
  })

  test('a disk that cannot flush a folder is used all the same', async () => {
    const { files } = thisSystem
    const path = await storeFolder()
    const { open } = storesOn({
      ...thisSystem,
      files: {
        ...files,
        async open(file, flags, mode) {
          const handle = await files.open(file, flags, mode)
          if ((await fs.lstat(file)).isDirectory()) {
            handle.sync = async () => Promise.reject(systemError('EINVAL', file))
          }
          return handle
        },
      },
    })
    expect(await write(open(path), 1, 0)).toBe(true)
  })

  test('a state that may not be on the disk keeps its files', async () => {
    const failing = { code: '' }
    const store = await openFailing(async (file, handle) => {
      const sync = handle.sync.bind(handle)
      handle.sync = () => (failing.code ? Promise.reject(systemError(failing.code, file)) : sync())
    })
    expect(await write(store, 1, 0)).toBe(true)
    failing.code = 'EIO'
    await expect(write(store, 2, 0)).rejects.toMatchObject(failing)
    expect(await store.get(key)).toEqual({ generation: 2, sealed: 'sealed-2' })
    failing.code = ''
    expect(await write(store, 3, 0)).toBe(true)
  })
})

/** Opens a store on a system that calls back with each folder that is opened. */
async function openFailing(
  onFolder: (path: string, handle: OpenFile) => Promise<void>,
): Promise<TokenStore> {
  const { files } = thisSystem
  const { open } = storesOn({
    ...thisSystem,
    files: {
      ...files,
      async open(file, flags, mode) {
        const handle = await files.open(file, flags, mode)
        try {
          if ((await fs.lstat(file)).isDirectory()) await onFolder(file, handle)
        } catch (error) {
          await handle.close()
          throw error
        }
        return handle
      },
    },
  })
  return open(await storeFolder())
}

describe.runIf(hasDoubles)('on Windows', () => {
  test('a file that a scanner has open is waited for', async () => {
    const { system, pausesMs } = pausedWindows(3)
    const { open, leftovers } = storesOn(system)
    const path = await storeFolder()
    const store = open(path)
    expect(await lock(store)).toBe(1)
    expect(await write(store)).toBe(true)
    expect(await store.get(key)).toEqual({ generation: 1, sealed: 'sealed-1' })
    expect(pausesMs.slice(0, 3)).toEqual([10, 20, 40])
    expect(await leftovers(path)).toEqual([])
  })

  test('a file that stays open is given up after 630 ms, and nothing is left behind', async () => {
    const { system, pausesMs } = pausedWindows(Infinity)
    const { open } = storesOn(system)
    const path = await storeFolder()
    await expect(lock(open(path))).rejects.toMatchObject({ code: /^(?:EBUSY|EPERM)$/ })
    expect(pausesMs).toEqual([10, 20, 40, 80, 160, 320])
    expect(await fs.readdir(path)).toEqual([])
  })

  test('a file that is being deleted is waited for, and not taken for one that cannot be read', async () => {
    const windows = windowsSystem(0)
    const { open, filesOf } = storesOn(windows)
    const path = await storeFolder()
    const store = open(path)
    expect(await lock(store)).toBe(1)
    expect(await write(store)).toBe(true)
    const { record } = await filesOf(path)
    const reader = await windows.files.open(record, 'r')
    expect(await write(store, 2)).toBe(true)
    await expect(windows.files.lstat(record)).rejects.toMatchObject({ code: 'EPERM' })
    expect(await store.get(key)).toEqual({ generation: 2, sealed: 'sealed-2' })
    await reader.close()
    await expect(windows.files.lstat(record)).rejects.toMatchObject({ code: 'ENOENT' })
  })

  test('a process that was killed before a rename keeps the others out for 5 seconds', async () => {
    const time = { now: Date.now(), pauses: 0 }
    const system: System = {
      ...windowsSystem(0),
      now: () => time.now,
      async wait() {
        time.pauses += 1
        time.now += 1000
      },
    }
    const { open, leftovers } = storesOn(system)
    const path = await storeFolder()
    const store = open(path)
    expect(await lock(store)).toBe(1)
    const names = await fs.readdir(keyFolder(path))
    const state = names.find((name) => name.startsWith('state')) ?? ''
    await fs.writeFile(join(keyFolder(path), `${state}.claim.1`), '')
    expect(await write(store)).toBe(true)
    expect(time.pauses).toBeGreaterThan(3)
    expect(time.pauses).toBeLessThan(7)
    expect(await write(store, 2)).toBe(true)
    expect(await leftovers(path)).toEqual([])
  })

  test('a clock that was set back makes no claim last longer', async () => {
    const system = { ...windowsSystem(0), now: () => Date.now() - day }
    const { open } = storesOn(system)
    const path = await storeFolder()
    const store = open(path)
    expect(await lock(store)).toBe(1)
    const names = await fs.readdir(keyFolder(path))
    const state = names.find((name) => name.startsWith('state')) ?? ''
    await fs.writeFile(join(keyFolder(path), `${state}.claim.1`), '')
    expect(await write(store)).toBe(true)
  })
})
