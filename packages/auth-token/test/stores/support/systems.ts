import * as fs from 'node:fs/promises'
import { basename, dirname, join, sep } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { type OpenFile, type System, thisSystem } from '../../testing.ts'

/** A system to test a file store on. */
export interface TestedSystem {
  readonly name: string
  readonly system: System
  /** `true` if its files have owners and modes. */
  readonly hasModes: boolean
}

const isWindows = process.platform === 'win32'

/** This system, and doubles with the rules of others on the disk of this one. */
export const systems: readonly TestedSystem[] = [
  { name: 'this system', system: thisSystem, hasModes: !isWindows },
  ...(isWindows
    ? []
    : [
        { name: 'Windows', system: windowsSystem(), hasModes: false },
        { name: 'macOS', system: macSystem(), hasModes: true },
      ]),
]

/** Returns an error as `node:fs` throws it. */
export function systemError(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code })
}

/** A disk that tells neither upper from lower case nor composed from decomposed letters. */
async function foldedPath(path: string): Promise<string> {
  const folded = (name: string): string => name.normalize('NFD').toLowerCase()
  const names = await fs.readdir(dirname(path)).catch(() => [])
  const wanted = folded(basename(path))
  return join(dirname(path), names.find((name) => folded(name) === wanted) ?? basename(path))
}

/** The rules of macOS: a disk that folds names. */
function macSystem(): System {
  return {
    ...thisSystem,
    name: 'darwin',
    isPosix: true,
    wait: never,
    files: {
      lstat: async (path) => fs.lstat(await foldedPath(path)),
      mkdir: async (path, options) => fs.mkdir(await foldedPath(path), options),
      open: async (path, flags, mode) => fs.open(await foldedPath(path), flags, mode),
      readFile: async (path, encoding) => fs.readFile(await foldedPath(path), encoding),
      readdir: async (path) => fs.readdir(await foldedPath(path)),
      rename: async (from, to) => fs.rename(await foldedPath(from), await foldedPath(to)),
      rmdir: async (path) => fs.rmdir(await foldedPath(path)),
      async unlink(path) {
        const found = await foldedPath(path)
        // Linux says EISDIR.
        if ((await fs.lstat(found)).isDirectory()) throw systemError('EPERM', path)
        await fs.unlink(found)
      },
    },
  }
}

/**
 * The rules of Windows. A virus scanner looks at each file that was made or renamed, so that the first
 * attempts to open or rename it fail.
 */
export function windowsSystem(scans = 2): System {
  const opened = new Map<string, number>()
  const pending = new Set<string>()
  const scanned = new Map<string, number>()
  const scan = (path: string): void => {
    const count = scanned.get(path) ?? 0
    scanned.set(path, count + 1)
    if (count < scans) throw systemError(count % 2 === 0 ? 'EBUSY' : 'EPERM', path)
  }
  /** Finds a file by any case of its name; one that is being deleted lets nobody in. */
  const find = async (path: string): Promise<string> => {
    const found = await foldedPath(path)
    if (pending.has(found)) throw systemError('EPERM', path)
    return found
  }
  const holds = (folder: string): boolean =>
    [...opened.keys()].some((path) => path.startsWith(folder + sep))
  const handleOf = (handle: fs.FileHandle, path: string): OpenFile => {
    opened.set(path, (opened.get(path) ?? 0) + 1)
    return {
      writeFile: (text) => handle.writeFile(text),
      async sync() {
        if ((await handle.stat()).isDirectory()) throw systemError('EPERM', path)
        await handle.sync()
      },
      async close() {
        await handle.close()
        const left = (opened.get(path) ?? 1) - 1
        if (left > 0) {
          opened.set(path, left)
          return
        }
        opened.delete(path)
        if (pending.delete(path)) await fs.unlink(path)
      },
    }
  }
  return {
    ...thisSystem,
    name: 'win32',
    isPosix: false,
    wait: () => turn(),
    files: {
      lstat: async (path) => fs.lstat(await find(path)),
      // It knows no modes.
      mkdir: async (path) => fs.mkdir(await find(path)),
      async open(path, flags, mode) {
        const found = await find(path)
        return handleOf(await fs.open(found, flags, mode && 0o666), found)
      },
      async readFile(path, encoding) {
        const found = await find(path)
        scan(`open ${found}`)
        return fs.readFile(found, encoding)
      },
      readdir: async (path) => fs.readdir(await find(path)),
      async rename(from, to) {
        const found = await find(from)
        const { ino } = await fs.lstat(found)
        scan(`rename ${found}`)
        if (holds(found)) throw systemError('EPERM', from)
        if ((await fs.lstat(found)).isDirectory()) {
          if (await exists(to)) throw systemError('EPERM', from)
          await fs.rename(found, to)
          return
        }
        // It has opened the file, and renames that one, whatever its name is by now.
        await turn()
        await renameNumber(dirname(found), ino, to)
      },
      rmdir: async (path) => fs.rmdir(await find(path)),
      async unlink(path) {
        const found = await find(path)
        if ((await fs.lstat(found)).isDirectory()) throw systemError('EPERM', path)
        if (opened.has(found)) pending.add(found)
        else await fs.unlink(found)
      },
    },
  }
}

/** Renames the file with a number, as often as another caller was faster. */
async function renameNumber(folder: string, ino: number, to: string): Promise<void> {
  for (;;) {
    const names = await fs.readdir(folder)
    const numbers = await Promise.all(
      names.map((name) =>
        fs.lstat(join(folder, name)).then(
          (stats) => stats.ino,
          () => 0,
        ),
      ),
    )
    const name = names[numbers.indexOf(ino)]
    if (name === undefined) throw systemError('ENOENT', folder)
    const isRenamed = await fs.rename(join(folder, name), to).then(
      () => true,
      () => false,
    )
    if (isRenamed) return
  }
}

async function exists(path: string): Promise<boolean> {
  return fs.lstat(path).then(
    () => true,
    () => false,
  )
}

function never(): never {
  throw new Error('nothing is waited for')
}
