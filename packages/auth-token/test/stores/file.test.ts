import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import * as fs from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { TokenStore } from '@svc/auth-token'
import { describe, expect, onTestFinished, test } from 'vitest'
import { fileTokenStore } from '@svc/auth-token/file-store'
import { tokenStoreConformance } from '@svc/auth-token/store-conformance'
import { cacheFolder, changeState, type FileState, readState } from '../testing.ts'

const day = 24 * 60 * 60 * 1000
const key = 'key'
const caller = '[@svc/auth-token] fileTokenStore'
const isRoot = process.getuid?.() === 0
const hasProc = process.platform === 'linux'
const nobody = 65_534
const fixture = fileURLToPath(new URL('../fixtures/file-store-process.ts', import.meta.url))

/** A folder that goes with the test. */
async function scratchFolder(): Promise<string> {
  const folder = await fs.mkdtemp(join(await fs.realpath(tmpdir()), 'svc-auth-'))
  onTestFinished(() => fs.rm(folder, { recursive: true, force: true }))
  return folder
}

async function storeFolder(): Promise<string> {
  return join(await scratchFolder(), 'store')
}

function keyFolder(path: string, name = key): string {
  return join(path, createHash('sha256').update(name).digest('hex'))
}

async function filesOf(path: string): Promise<FileState & { record: string; lock: string }> {
  const state = await readState(keyFolder(path))
  const file = (name: string | undefined): string => join(keyFolder(path), name ?? 'none')
  return { ...state, record: file(state.recordFile), lock: file(state.lockFile) }
}

/** Lists all but folders of keys, their states and the files that these name. */
async function leftovers(path: string): Promise<string[]> {
  const found: string[] = []
  for (const folder of await fs.readdir(path)) {
    if (!/^[0-9a-f]{64}$/.test(folder)) {
      found.push(folder)
      continue
    }
    const { generation, recordFile, fencingToken, lockFile } = await readState(join(path, folder))
    const numbers = [generation, recordFile ?? 'none', fencingToken, lockFile ?? 'none']
    const known = new Set([['state', ...numbers].join('.'), recordFile, lockFile])
    const names = await fs.readdir(join(path, folder))
    found.push(...names.filter((name) => !known.has(name)))
  }
  return found
}

async function lock(store: TokenStore, owner = 'owner'): Promise<number | undefined> {
  return store.lock(key, { owner, ttlMs: day })
}

async function write(store: TokenStore, generation = 1, fencingToken = 1): Promise<boolean> {
  const record = { generation, sealed: `sealed-${generation}` }
  return store.compareAndSwap(key, record, { fencingToken, ttlMs: day })
}

/** A store with a record of generation 1 and a lock of fencing token 1. */
async function usedStore() {
  const path = await storeFolder()
  const store = fileTokenStore({ path })
  expect(await lock(store)).toBe(1)
  expect(await write(store)).toBe(true)
  return { path, store, ...(await filesOf(path)) }
}

const node = [process.execPath, '--no-warnings', '--conditions=@svc/source', fixture]

/** Runs the fixture, through the shell where there is a script; `lines` are what it reports. */
function start(args: readonly string[], script = 'exec "$@"') {
  const child = spawn('sh', ['-c', script, 'sh', ...node, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const lines: string[] = []
  const errors: string[] = []
  const reader = createInterface({ input: child.stdout })
  reader.on('line', (line) => lines.push(line))
  child.stderr.on('data', (text: Buffer) => errors.push(text.toString()))
  const firstLine = new Promise<string>((resolve) => {
    reader.once('line', resolve)
  })
  const ended = new Promise<{ status: number | null; lines: string[]; errors: string }>(
    (resolve) => {
      child.once('close', (status) => resolve({ status, lines, errors: errors.join('') }))
    },
  )
  onTestFinished(() => void child.kill('SIGKILL'))
  return { child, firstLine, ended }
}

describe('a file store', () => {
  describe('does what a store has to do, and leaves nothing behind', () => {
    const place = { path: '' }
    const checks = tokenStoreConformance(() => fileTokenStore(place))
    test.each(checks)('$name', async (check) => {
      place.path = await storeFolder()
      await expect(check.run()).resolves.toBeUndefined()
      expect(await leftovers(place.path)).toEqual([])
    })
  })

  test('keeps what it has for the next process, under its number', async () => {
    const { path, store } = await usedStore()
    expect(await write(store, 2)).toBe(true)
    expect(await fileTokenStore({ path }).get(key)).toEqual({ generation: 2, sealed: 'sealed-2' })
    expect(await leftovers(path)).toEqual([])
  })

  test('makes folders and files that only this user can use, whatever the umask', async () => {
    const before = process.umask(0)
    try {
      const scratch = await scratchFolder()
      const path = join(scratch, 'one', 'two')
      const store = fileTokenStore({ path })
      await lock(store)
      await write(store)
      const modes: Record<string, string> = {}
      for (const entry of await fs.readdir(scratch, { recursive: true, withFileTypes: true })) {
        const { mode } = await fs.lstat(join(entry.parentPath, entry.name))
        modes[relative(scratch, join(entry.parentPath, entry.name))] = (mode & 0o7777).toString(8)
        expect((mode & 0o7777).toString(8)).toBe(entry.isDirectory() ? '700' : '600')
      }
      expect(Object.keys(modes)).toHaveLength(6)
    } finally {
      process.umask(before)
    }
  })

  test('ends locks by the clock it was given', async () => {
    const time = { now: 1000 }
    const store = fileTokenStore({ path: await storeFolder(), clock: () => time.now })
    expect(await store.lock(key, { owner: 'one', ttlMs: 500 })).toBe(1)
    time.now = 1499
    expect(await store.lock(key, { owner: 'two', ttlMs: 500 })).toBeUndefined()
    time.now = 1500
    expect(await store.lock(key, { owner: 'two', ttlMs: 500 })).toBe(2)
    expect(await store.lock(key, { owner: 'one', ttlMs: 500 })).toBeUndefined()
  })

  test('keeps a lock that never ends', async () => {
    const store = fileTokenStore({ path: await storeFolder() })
    expect(await store.lock(key, { owner: 'one', ttlMs: Infinity })).toBe(1)
    expect(await store.lock(key, { owner: 'two', ttlMs: Infinity })).toBeUndefined()
  })
})

describe('the folder of a file store', () => {
  test.each([
    ['755', 'group and others can look'],
    ['710', 'the group can enter'],
    ['702', 'others can write'],
  ])('is refused with mode %s, since %s', async (mode) => {
    const path = await scratchFolder()
    await fs.chmod(path, Number.parseInt(mode, 8))
    expect(() => fileTokenStore({ path })).toThrow(
      new TypeError(
        `${caller}: path must be a folder that only you can access: run chmod 700 ${path}`,
      ),
    )
  })

  test.runIf(isRoot)('is refused where it is of another user', async () => {
    const path = await scratchFolder()
    await fs.chown(path, nobody, nobody)
    expect(() => fileTokenStore({ path })).toThrow(
      new TypeError(
        `${caller}: path must be a folder that you own: ${path} belongs to user ${nobody}`,
      ),
    )
  })

  test('is refused where it is a link, also with a slash at its end', async () => {
    const scratch = await scratchFolder()
    await fs.mkdir(join(scratch, 'target'), { mode: 0o700 })
    await fs.symlink(join(scratch, 'target'), join(scratch, 'link'))
    for (const path of [join(scratch, 'link'), `${join(scratch, 'link')}/`]) {
      expect(() => fileTokenStore({ path })).toThrow(/: path must be a folder, not a link to one/)
    }
    expect(await fs.readdir(join(scratch, 'target'))).toEqual([])
  })

  test('is refused where it cannot be made', async () => {
    const scratch = await scratchFolder()
    const file = join(scratch, 'file')
    await fs.writeFile(file, '')
    await fs.symlink(join(scratch, 'nowhere'), join(scratch, 'dangling'))
    for (const path of [file, join(file, 'below'), join(scratch, 'dangling'), 'a\0b']) {
      expect(() => fileTokenStore({ path })).toThrow(TypeError)
      expect(() => fileTokenStore({ path })).toThrow(/: path must be a folder/)
    }
    expect(await fs.readdir(scratch)).toEqual(['dangling', 'file'])
  })

  test('is named by a string that is not empty', () => {
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

  test('stays where it was when the process goes to another', async () => {
    const path = await storeFolder()
    const before = process.cwd()
    const store = fileTokenStore({ path: relative(before, path) })
    process.chdir(tmpdir())
    onTestFinished(() => process.chdir(before))
    expect(await write(store)).toBe(true)
    expect(await fileTokenStore({ path }).get(key)).toBeDefined()
  })

  test('is the cache folder of the user on each system', () => {
    const home = (): string => '/home/reader'
    expect(cacheFolder('linux', {}, home)).toBe('/home/reader/.cache')
    expect(cacheFolder('linux', { XDG_CACHE_HOME: '/cache' }, home)).toBe('/cache')
    expect(cacheFolder('linux', { XDG_CACHE_HOME: 'cache' }, home)).toBe('/home/reader/.cache')
    expect(cacheFolder('linux', { XDG_CACHE_HOME: '' }, home)).toBe('/home/reader/.cache')
    expect(cacheFolder('darwin', { XDG_CACHE_HOME: '/cache' }, home)).toBe(
      '/home/reader/Library/Caches',
    )
    expect(cacheFolder('win32', { LOCALAPPDATA: '/local' }, home)).toBe('/local')
    expect(cacheFolder('win32', {}, home)).toBe('/home/reader/AppData/Local')
    expect(cacheFolder()).toBe(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'))
  })

  test.each([
    ['vanishes', async (path: string) => fs.rm(path, { recursive: true })],
    ['is opened to others', async (path: string) => fs.chmod(path, 0o770)],
    [
      'is replaced by a file',
      async (path: string) => {
        await fs.rm(path, { recursive: true })
        await fs.writeFile(path, '')
      },
    ],
    [
      'is replaced by a link',
      async (path: string) => {
        await fs.rename(path, `${path}-moved`)
        await fs.symlink(`${path}-moved`, path)
      },
    ],
    ['holds a folder of a key that others can use', openKeyFolder],
  ])('that %s has every method reject', async (_, harm) => {
    const { path, store } = await usedStore()
    await harm(path)
    await expect(store.get(key)).rejects.toThrow(path)
    await expect(write(store, 2)).rejects.toThrow(path)
    await expect(lock(store)).rejects.toThrow(path)
    await expect(store.unlock(key, 'owner')).rejects.toThrow(path)
  })
})

async function openKeyFolder(path: string): Promise<void> {
  await fs.chmod(keyFolder(path), 0o750)
}

/** Things in the place of a file: each is a miss, and none is followed. */
const damages: [name: string, damage: (file: string, scratch: string) => Promise<unknown>][] = [
  ['garbage', async (file) => fs.writeFile(file, '\u0000\ufffd{{{')],
  ['empty', async (file) => fs.truncate(file)],
  ['cut off', async (file) => fs.truncate(file, 20)],
  ['JSON, but no object', async (file) => fs.writeFile(file, 'null')],
  ['of another version', async (file) => edit(file, { version: 2 })],
  ['of other types', async (file) => edit(file, { sealed: 7, owner: 7 })],
  ['larger than 4 MiB', async (file) => fs.appendFile(file, ' '.repeat(4 * 2 ** 20))],
  ['gone', async (file) => fs.rm(file)],
  ['readable for the group', async (file) => fs.chmod(file, 0o640)],
  ['readable for nobody', async (file) => fs.chmod(file, 0)],
  ['known by a second name', async (file, scratch) => fs.link(file, join(scratch, 'second'))],
  [
    'a folder',
    async (file) => {
      await fs.rm(file)
      await fs.mkdir(file)
    },
  ],
  [
    'a pipe',
    async (file) => {
      await fs.rm(file)
      execFileSync('mkfifo', ['-m', '600', file])
    },
  ],
  [
    'a link to a file that would do',
    async (file, scratch) => {
      await fs.rename(file, join(scratch, 'target'))
      await fs.symlink(join(scratch, 'target'), file)
    },
  ],
]

if (isRoot) {
  damages.push(['of another user', async (file) => fs.chown(file, nobody, nobody)])
}

async function edit(file: string, changes: object): Promise<void> {
  const content: object = JSON.parse(await fs.readFile(file, 'utf8'))
  await fs.writeFile(file, JSON.stringify({ ...content, ...changes }))
}

describe('a damaged file', () => {
  test.each(damages)(
    'that is %s is a record that opens to nothing, and the next is written',
    async (_, damage) => {
      const { store, record, path } = await usedStore()
      const scratch = await scratchFolder()
      await damage(record, scratch)
      expect(await store.get(key)).toEqual({ generation: 1, sealed: '' })
      const targets = await contents(scratch)
      expect(await write(store, 1)).toBe(false)
      expect(await write(store, 2)).toBe(true)
      expect(await store.get(key)).toEqual({ generation: 2, sealed: 'sealed-2' })
      expect(await contents(scratch)).toEqual(targets)
      // A folder is not removed: nobody knows what someone put there.
      expect(await leftovers(path)).toEqual(await foldersIn(keyFolder(path)))
    },
  )

  test.each(damages)(
    'that is %s is a lock that is free, and fencing tokens still grow',
    async (_, damage) => {
      const { store, lock: lockFile, path } = await usedStore()
      const scratch = await scratchFolder()
      await damage(lockFile, scratch)
      const targets = await contents(scratch)
      expect(await lock(store, 'next')).toBe(2)
      expect(await lock(store, 'third')).toBeUndefined()
      expect(await write(store, 2)).toBe(false)
      expect(await write(store, 2, 2)).toBe(true)
      expect(await contents(scratch)).toEqual(targets)
      expect(await leftovers(path)).toEqual(await foldersIn(keyFolder(path)))
    },
  )
})

describe('the folder of a key', () => {
  test.each([
    ['a file', async (folder: string, target: string) => fs.copyFile(target, folder)],
    ['a link', async (folder: string, target: string) => fs.symlink(target, folder)],
    ['an empty folder', async (folder: string) => fs.mkdir(folder, { mode: 0o700 })],
  ])('takes the place of %s', async (_, place) => {
    const path = await storeFolder()
    const scratch = await scratchFolder()
    await fs.writeFile(join(scratch, 'target'), 'untouched')
    const store = fileTokenStore({ path })
    await place(keyFolder(path), join(scratch, 'target'))
    expect(await store.get(key)).toBeUndefined()
    expect(await lock(store)).toBe(1)
    expect(await write(store)).toBe(true)
    expect(await contents(scratch)).toEqual({ target: 'untouched' })
    expect(await leftovers(path)).toEqual([])
  })

  test('is not another by a link', async () => {
    const { path, store } = await usedStore()
    await fs.symlink(keyFolder(path), keyFolder(path, 'other'))
    expect(await store.get('other')).toBeUndefined()
    expect(await store.lock('other', { owner: 'other', ttlMs: day })).toBe(1)
    expect((await fs.lstat(keyFolder(path, 'other'))).isSymbolicLink()).toBe(false)
  })

  test('may hold what is named almost like a state, which counts for nothing', async () => {
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
      `state.9.${id.toUpperCase()}.1.none`,
    ]
    for (const name of alike) await fs.writeFile(join(keyFolder(path), name), '')
    expect(await store.get(key)).toEqual({ generation: 1, sealed: 'sealed-1' })
    expect(await write(store, 2)).toBe(true)
    expect((await leftovers(path)).sort()).toEqual(alike.sort())
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

async function contents(folder: string): Promise<Record<string, string>> {
  const names = await fs.readdir(folder)
  const texts = names.map(async (name) => [name, await fs.readFile(join(folder, name), 'utf8')])
  return Object.fromEntries(await Promise.all(texts))
}

async function foldersIn(folder: string): Promise<string[]> {
  const entries = await fs.readdir(folder, { withFileTypes: true })
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
}

describe('a change of the state', () => {
  const taken = (state: FileState, lockFile: string): FileState => ({
    ...state,
    fencingToken: state.fencingToken + 1,
    lockFile,
  })
  const take = (folder: string, before?: () => Promise<unknown>): Promise<number> =>
    changeState(folder, async (state) => {
      await before?.()
      return {
        result: state.fencingToken + 1,
        change: { text: 'text', next: (file) => taken(state, file) },
      }
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
    await fs.writeFile(join(folder, 'notes.txt'), 'not ours')
    await take(folder)
    expect(await leftovers(path)).toEqual(['notes.txt'])
  })

  test('sweeps folders that killed processes left half made, after an hour', async () => {
    const path = await scratchFolder()
    const [old, young] = [0, 1].map(() => `${keyFolder(path)}.${crypto.randomUUID()}`)
    if (!old || !young) throw new Error('no names')
    for (const folder of [old, young]) {
      await fs.mkdir(folder, { mode: 0o700 })
      await fs.writeFile(join(folder, 'state.0.none.0.none'), '')
    }
    const past = new Date(Date.now() - 2 * 60 * 60 * 1000)
    await fs.utimes(old, past, past)
    await take(keyFolder(path))
    expect(await leftovers(path)).toEqual([relative(path, young)])
  })

  test('is given up where a file is in the way of the first state', async () => {
    const path = await scratchFolder()
    const folder = keyFolder(path)
    await fs.mkdir(folder, { mode: 0o700 })
    await fs.writeFile(join(folder, 'notes.txt'), 'not ours')
    await expect(take(folder)).rejects.toThrow('if this persists, remove it')
    expect(await fs.readdir(path)).toEqual([relative(path, folder)])
  })
})

// The time limit is for hosts that are busy with something else.
describe('between processes', { timeout: 30_000 }, () => {
  test('a lock of a process that was killed is free at once', async () => {
    const { path, store } = await usedStore()
    await store.unlock(key, 'owner')
    const { child, firstLine, ended } = start(['hold', path, key])
    expect(await firstLine).toBe('2')
    expect(await lock(store, 'next')).toBeUndefined()
    child.kill('SIGKILL')
    await ended
    expect(await lock(store, 'next')).toBe(3)
    expect(await leftovers(path)).toEqual([])
  })

  test.runIf(hasProc)('it is free even while nobody has asked for the dead process', async () => {
    const path = await storeFolder()
    const store = fileTokenStore({ path })
    // The shell becomes a program that asks for no child.
    const { firstLine, ended, child } = start(['hold', path, key], '"$@" & exec sleep 60')
    expect(await firstLine).toBe('1')
    const { lock: file } = await filesOf(path)
    const { process: holder }: { process: { pid: number } } = JSON.parse(
      await fs.readFile(file, 'utf8'),
    )
    expect(holder.pid).not.toBe(child.pid)
    process.kill(holder.pid, 'SIGKILL')
    await expect.poll(() => lock(store, 'next'), { timeout: 20_000, interval: 10 }).toBe(2)
    expect(process.kill(holder.pid, 0)).toBe(true)
    child.kill('SIGKILL')
    await ended
  })

  test.runIf(hasProc)(
    'a lock of one whose number another process got is free at once',
    async () => {
      const { lock: file, store } = await usedStore()
      const { process: holder }: { process: object } = JSON.parse(await fs.readFile(file, 'utf8'))
      await edit(file, { process: { ...holder, start: '1' } })
      expect(await lock(store, 'next')).toBe(2)
    },
  )

  test('a lock of a process of another host, or of a host that is not known, is not', async () => {
    for (const host of ['elsewhere', '']) {
      const { lock: file, store } = await usedStore()
      await edit(file, { process: { host, pid: 2 ** 22 + 1, start: '1' } })
      expect(await lock(store, 'next')).toBeUndefined()
    }
  })

  test('none of many increments is lost, and none is made twice', async () => {
    const path = await storeFolder()
    const runs = [1, 2, 3, 4].map(() => start(['increment', path, key, '100']))
    for (const { ended } of runs) expect(await ended).toEqual({ status: 0, lines: [], errors: '' })
    expect(await fileTokenStore({ path }).get(key)).toEqual({ generation: 400, sealed: '400' })
    expect(await leftovers(path)).toEqual([])
  })

  test('a lock that is raced for has one owner at a time', async () => {
    const path = await storeFolder()
    const held = join(await scratchFolder(), 'held')
    const runs = Array.from({ length: 8 }, () => start(['race', path, key, '10', held]))
    const results = await Promise.all(runs.map(({ ended }) => ended))
    for (const { status, errors } of results)
      expect({ status, errors }).toEqual({ status: 0, errors: '' })
    const fencingTokens = results.flatMap(({ lines }) => lines.map(Number))
    expect(fencingTokens.sort((one, other) => one - other)).toEqual(
      Array.from({ length: 80 }, (_, n) => n + 1),
    )
    expect(await leftovers(path)).toEqual([])
  })

  test('a write that the disk refuses rejects, and leaves nothing behind', async () => {
    const path = await storeFolder()
    // A file of more than a block or two fails with EFBIG.
    const { ended } = start(['write-much', path, key], 'ulimit -f 1; exec "$@"')
    expect(await ended).toEqual({ status: 0, lines: ['"EFBIG"', 'true'], errors: '' })
    expect(await fileTokenStore({ path }).get(key)).toEqual({ generation: 1, sealed: 'little' })
    expect(await leftovers(path)).toEqual([])
  })

  test('processes that are killed while they write damage nothing', async () => {
    const path = await storeFolder()
    const store = fileTokenStore({ path })
    const runs = [1, 2, 3, 4].map(() => start(['increment', path, key]))
    await expect
      .poll(async () => (await store.get(key))?.generation ?? 0, { interval: 5, timeout: 20_000 })
      .toBeGreaterThan(50)
    for (const { child, ended } of runs) {
      child.kill('SIGKILL')
      await ended
      const { generation = 0, sealed } = (await store.get(key)) ?? {}
      expect(generation).toBeGreaterThan(50)
      expect(sealed).toBe(String(generation))
    }
    const { generation = 0 } = (await store.get(key)) ?? {}
    expect(await write(store, generation + 1)).toBe(true)
    expect(await leftovers(path)).toEqual([])
  })
})
