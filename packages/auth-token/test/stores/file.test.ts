import * as fs from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { fileTokenStore, userFolder } from '@svc/auth-token/file-store'
import { tokenStoreConformance } from '@svc/auth-token/store-conformance'
import { changeState, type FileState, openFileStore, type System, thisSystem } from '../testing.ts'
import {
  edit,
  key,
  keyFolder,
  lock,
  scratchFolder,
  storeFolder,
  storesOn,
  write,
} from './support/file-stores.ts'
import { systems } from './support/systems.ts'

const caller = '[@svc/auth-token] fileTokenStore'
const isRoot = process.getuid?.() === 0
const nobody = 65_534

type Damage = readonly [name: string, damage: (file: string) => Promise<unknown>]

/** Damages of a file: each is a miss. */
const damages: readonly Damage[] = [
  ['garbage', async (file) => fs.writeFile(file, '\u0000\ufffd{{{')],
  ['empty', async (file) => fs.truncate(file)],
  ['cut off', async (file) => fs.truncate(file, 20)],
  ['JSON, but no object', async (file) => fs.writeFile(file, 'null')],
  ['of another version', async (file) => edit(file, { version: 2 })],
  ['of other types', async (file) => edit(file, { sealed: 7, takenAt: '7' })],
  ['gone', async (file) => fs.rm(file)],
]

test('the folder is named by a string that is not empty', () => {
  const wrong: unknown[] = ['', 7, null]
  for (const path of wrong) {
    // @ts-expect-error What JavaScript may give.
    expect(() => fileTokenStore({ path })).toThrow(
      new TypeError(`${caller}: path must be a non-empty string`),
    )
  }
  // @ts-expect-error What JavaScript may give.
  expect(() => fileTokenStore({ clock: 7 })).toThrow(
    new TypeError(`${caller}: clock must be a function`),
  )
  // @ts-expect-error What JavaScript may give.
  expect(() => fileTokenStore(null)).toThrow(
    new TypeError(`${caller}: options must be an object with any of path, clock`),
  )
})

test.skipIf(process.platform === 'win32')(
  'the folder is by default the cache folder of the user on each system',
  () => {
    const folder = (
      platform: string,
      environment: Record<string, string>,
      kind: 'config' | 'state' | 'cache' = 'cache',
    ): string => userFolder(kind, { platform, environment, home: '/home/reader' })
    expect(folder('linux', {})).toBe('/home/reader/.cache')
    expect(folder('linux', { XDG_CACHE_HOME: '/cache' })).toBe('/cache')
    expect(folder('linux', { XDG_CACHE_HOME: 'cache' })).toBe('/home/reader/.cache')
    expect(folder('linux', { XDG_CACHE_HOME: '' })).toBe('/home/reader/.cache')
    expect(folder('linux', {}, 'state')).toBe('/home/reader/.local/state')
    expect(folder('linux', { XDG_STATE_HOME: '/state' }, 'state')).toBe('/state')
    expect(folder('darwin', { XDG_CACHE_HOME: '/cache' })).toBe('/home/reader/Library/Caches')
    expect(folder('darwin', {}, 'state')).toBe('/home/reader/Library/Application Support')
    expect(folder('win32', { LOCALAPPDATA: '/local' })).toBe('/local')
    expect(folder('win32', {})).toBe('/home/reader/AppData/Local')
    expect(folder('linux', {}, 'config')).toBe('/home/reader/.config')
    expect(folder('freebsd', { XDG_CONFIG_HOME: '/config' }, 'config')).toBe('/config')
    expect(folder('darwin', {}, 'config')).toBe('/home/reader/Library/Application Support')
    expect(folder('win32', { APPDATA: '/roaming' }, 'config')).toBe('/roaming')
    expect(folder('win32', {}, 'config')).toBe('/home/reader/AppData/Roaming')
  },
)

test.each<[what: string, home: () => string]>([
  [
    'without a home',
    () => {
      throw new Error('ENOENT: no such user')
    },
  ],
  ['whose home is the current folder', () => ''],
  ['whose home is below the current folder', () => 'home'],
])('a user %s has to give a path', (_what, home) => {
  const system = { ...thisSystem, environment: {}, home }
  expect(() => openFileStore(system, {})).toThrow(
    new TypeError(`${caller}: path must be given: this user has no home folder`),
  )
})

describe.each(systems)('on $name', ({ system, hasModes }) => {
  const { platform, open, leftovers, usedStore } = storesOn(system)

  describe('a file store', () => {
    describe('does what a store has to do, and leaves nothing behind', () => {
      const place = { path: '' }
      const checks = tokenStoreConformance(() => open(place.path))
      test.each(checks)('$name', async (check) => {
        place.path = await storeFolder()
        await expect(check.run()).resolves.toBeUndefined()
        expect(await leftovers(place.path)).toEqual([])
      })
    })

    test('keeps what it has for the next process, under its number', async () => {
      const { path, store } = await usedStore()
      expect(await write(store, 2)).toBe(true)
      expect(await open(path).get(key)).toEqual({ generation: 2, sealed: 'sealed-2' })
      expect(await leftovers(path)).toEqual([])
    })

    test.runIf(hasModes)(
      'makes folders and files that only this user can use, whatever the umask',
      async () => {
        const before = process.umask(0)
        try {
          const scratch = await scratchFolder()
          const path = join(scratch, 'one', 'two')
          const store = open(path)
          await lock(store)
          await write(store)
          const modes: Record<string, string> = {}
          for (const entry of await fs.readdir(scratch, { recursive: true, withFileTypes: true })) {
            const { mode } = await fs.lstat(join(entry.parentPath, entry.name))
            modes[relative(scratch, join(entry.parentPath, entry.name))] = (mode & 0o7777).toString(
              8,
            )
            expect((mode & 0o7777).toString(8)).toBe(entry.isDirectory() ? '700' : '600')
          }
          expect(Object.keys(modes)).toHaveLength(6)
        } finally {
          process.umask(before)
        }
      },
    )

    test('ends locks by the clock it was given', async () => {
      const time = { now: 1000 }
      const store = open(await storeFolder(), () => time.now)
      expect(await store.lock(key, { owner: 'one', ttlMs: 500 })).toBe(1)
      time.now = 1499
      expect(await store.lock(key, { owner: 'two', ttlMs: 500 })).toBeUndefined()
      time.now = 1500
      expect(await store.lock(key, { owner: 'two', ttlMs: 500 })).toBe(2)
      expect(await store.lock(key, { owner: 'one', ttlMs: 500 })).toBeUndefined()
    })

    test('keeps a lock that never ends', async () => {
      const store = open(await storeFolder())
      expect(await store.lock(key, { owner: 'one', ttlMs: Infinity })).toBe(1)
      expect(await store.lock(key, { owner: 'two', ttlMs: Infinity })).toBeUndefined()
    })
  })

  describe('the folder of a file store', () => {
    test.runIf(hasModes).each([
      ['755', 'group and others can look'],
      ['710', 'the group can enter'],
      ['702', 'others can write'],
    ])('is refused with mode %s, since %s', async (mode) => {
      const path = await scratchFolder()
      await fs.chmod(path, Number.parseInt(mode, 8))
      expect(() => open(path)).toThrow(
        new TypeError(
          `${caller}: path must be a folder that only you can access: run chmod 700 ${path}`,
        ),
      )
    })

    test.runIf(hasModes && isRoot)('is refused where it is of another user', async () => {
      const path = await scratchFolder()
      await fs.chown(path, nobody, nobody)
      expect(() => open(path)).toThrow(
        new TypeError(
          `${caller}: path must be a folder that you own: ${path} belongs to user ${nobody}`,
        ),
      )
    })

    test('is refused where it is a link, also with a slash at its end', async () => {
      const scratch = await scratchFolder()
      await fs.mkdir(join(scratch, 'target'), { mode: 0o700 })
      await fs.symlink(join(scratch, 'target'), join(scratch, 'link'), 'junction')
      for (const path of [join(scratch, 'link'), `${join(scratch, 'link')}/`]) {
        expect(() => open(path)).toThrow(/: path must be a folder, not a link to one/)
      }
      expect(await fs.readdir(join(scratch, 'target'))).toEqual([])
    })

    test('is refused where it cannot be made', async () => {
      const scratch = await scratchFolder()
      const file = join(scratch, 'file')
      await fs.writeFile(file, '')
      await fs.symlink(join(scratch, 'nowhere'), join(scratch, 'dangling'), 'junction')
      for (const path of [file, join(file, 'below'), join(scratch, 'dangling'), 'a\0b']) {
        expect(() => open(path)).toThrow(TypeError)
        expect(() => open(path)).toThrow(/: path must be a folder/)
      }
      expect(await fs.readdir(scratch)).toEqual(['dangling', 'file'])
    })

    test('stays where it was when the process goes to another', async () => {
      const path = await storeFolder()
      const before = process.cwd()
      const store = open(relative(before, path))
      process.chdir(tmpdir())
      onTestFinished(() => process.chdir(before))
      expect(await write(store)).toBe(true)
      expect(await open(path).get(key)).toBeDefined()
    })

    test('that vanishes takes no lock and no record', async () => {
      const { path, store } = await usedStore()
      await fs.rm(path, { recursive: true })
      await expect(write(store, 1)).rejects.toThrow(path)
      await expect(lock(store)).rejects.toThrow(path)
    })
  })

  describe('a damaged file', () => {
    test.each(damages)(
      'that is %s is a record that opens to nothing, and the next is written',
      async (_, damage) => {
        const { store, record, path } = await usedStore()
        await damage(record)
        expect(await store.get(key)).toEqual({ generation: 1, sealed: '' })
        expect(await write(store, 1)).toBe(false)
        expect(await write(store, 2)).toBe(true)
        expect(await store.get(key)).toEqual({ generation: 2, sealed: 'sealed-2' })
        expect(await leftovers(path)).toEqual([])
      },
    )

    test.each(damages)(
      'that is %s is a lock that is free, and fencing tokens still grow',
      async (_, damage) => {
        const { store, lock: lockFile, path } = await usedStore()
        await damage(lockFile)
        expect(await lock(store, 'next')).toBe(2)
        expect(await lock(store, 'third')).toBeUndefined()
        expect(await write(store, 2)).toBe(false)
        expect(await write(store, 2, 2)).toBe(true)
        expect(await leftovers(path)).toEqual([])
      },
    )
  })

  describe('the folder of a key', () => {
    test('may hold what is named almost like a state, which counts for nothing and is swept', async () => {
      const { path, store } = await usedStore()
      const id = crypto.randomUUID()
      const alike = [
        `state.007.${id}.1.none`,
        `state.1e3.${id}.1.none`,
        `state.9007199254740993.${id}.1.none`,
        `state.-9.${id}.1.none`,
        `state.9.${id}.1`,
        `state.9.${id}.1.none.bak`,
        `State.9.${id}.1.none`,
        // A disk that folds names has but one of two that differ in case.
        `state.9.${crypto.randomUUID().toUpperCase()}.1.none`,
      ]
      for (const name of alike) await fs.writeFile(join(keyFolder(path), name), '')
      expect(await store.get(key)).toEqual({ generation: 1, sealed: 'sealed-1' })
      expect(await write(store, 2)).toBe(true)
      expect(await leftovers(path)).toEqual([])
    })

    test('may hold a state of an earlier time that was put back, which is swept', async () => {
      const { path, store } = await usedStore()
      const names = await fs.readdir(keyFolder(path))
      const earlier = names.find((name) => name.startsWith('state')) ?? ''
      expect(await write(store, 2)).toBe(true)
      await fs.writeFile(join(keyFolder(path), earlier), '')
      expect(await store.get(key)).toEqual({ generation: 2, sealed: 'sealed-2' })
      expect(await write(store, 3)).toBe(true)
      expect(await leftovers(path)).toEqual([])
    })
  })

  describe('a change of the state', () => {
    const taken = (state: FileState, lockFile: string): FileState => ({
      ...state,
      fencingToken: state.fencingToken + 1,
      lockFile,
    })
    const take = (
      folder: string,
      before?: () => Promise<unknown>,
      own = platform,
    ): Promise<number> =>
      changeState(own, folder, async (state, file) => {
        await before?.()
        return { result: state.fencingToken + 1, text: 'text', next: taken(state, file) }
      })

    test('that was overtaken starts again, however many changes were faster', async () => {
      for (const others of [1, 2, 5]) {
        const path = await scratchFolder()
        const folder = keyFolder(path)
        await take(folder)
        let steps = 0
        const result = await take(folder, async () => {
          steps += 1
          if (steps > 1) return
          for (let other = 0; other < others; other += 1) await take(folder)
        })
        expect({ steps, result }).toEqual({ steps: 2, result: others + 2 })
        expect(await leftovers(path)).toEqual([])
      }
    })

    test('that was overtaken by the first of all starts again', async () => {
      const path = await scratchFolder()
      const folder = keyFolder(path)
      let isFirst = true
      const result = await take(folder, async () => {
        if (!isFirst) return
        isFirst = false
        await take(folder)
        await take(folder)
      })
      expect(result).toBe(3)
      expect(await leftovers(path)).toEqual([])
    })

    test('sweeps what killed processes left', async () => {
      const path = await scratchFolder()
      const folder = keyFolder(path)
      await take(folder)
      await fs.writeFile(join(folder, crypto.randomUUID()), 'half wri')
      await take(folder)
      expect(await leftovers(path)).toEqual([])
    })

    // A thousand attempts take a second, and are the same everywhere.
    if (system !== thisSystem) return
    test('is given up where a file is in the way of the first state', async () => {
      const path = await scratchFolder()
      const folder = keyFolder(path)
      await fs.mkdir(folder, { mode: 0o700 })
      await fs.writeFile(join(folder, 'notes.txt'), 'not ours')
      // It tries a thousand times; no file of them has to reach the disk.
      const openHastily: System['files']['open'] = async (...given) => {
        const handle = await platform.files.open(...given)
        return Object.assign(handle, { sync: async () => {} })
      }
      const hasty = { ...platform, files: { ...platform.files, open: openHastily } }
      await expect(take(folder, undefined, hasty)).rejects.toThrow('if this persists, remove it')
      expect(await fs.readdir(path)).toEqual([relative(path, folder)])
    })
  })
})
