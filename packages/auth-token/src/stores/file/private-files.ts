/// <reference types="node" />
import { constants, type Stats } from 'node:fs'
import { lstat, open, unlink } from 'node:fs/promises'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'

const largestFileBytes = 4 * 2 ** 20
// Windows lacks two of them, which counts as 0: there the comparison of two looks at the file does it.
const { O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants

/** Returns why a folder is not for this user alone, as the end of a sentence. */
export function directoryError(stats: Stats, path: string): string | undefined {
  if (!stats.isDirectory()) {
    return `must be a folder, not a link to one: remove ${path} or choose another path`
  }
  if (isOfAnother(stats)) {
    return `must be a folder that you own: ${path} belongs to user ${stats.uid}`
  }
  if (isOpenToOthers(stats)) {
    return `must be a folder that only you can access: run chmod 700 ${path}`
  }
  return undefined
}

/** Reads a file of this user's, or resolves to `undefined` if it is missing or anything else. */
export async function readPrivateFile(path: string): Promise<string | undefined> {
  const seen = await lstat(path).catch(ignoreCodes('ENOENT'))
  if (!seen || !isUsable(seen)) return undefined
  const handle = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(
    ignoreCodes('ENOENT', 'ELOOP'),
  )
  if (!handle) return undefined
  try {
    const opened = await handle.stat()
    const isSame = opened.dev === seen.dev && opened.ino === seen.ino
    return isSame && isUsable(opened) ? await handle.readFile('utf8') : undefined
  } finally {
    await handle.close()
  }
}

/** Makes a file that only this user can read, and is done when it is on the disk. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  const handle = await open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } catch (error) {
    await removeFile(path)
    throw error
  } finally {
    await handle.close()
  }
}

/** Removes a file if that can be done. */
export async function removeFile(path: string): Promise<void> {
  await unlink(path).catch(() => {})
}

/** Returns a handler for `catch` that ignores errors with these codes and throws all others again. */
export function ignoreCodes(...codes: readonly string[]): (error: unknown) => undefined {
  return (error) => {
    if (!codes.includes(errorCode(error))) throw error
    return undefined
  }
}

/** Returns the code of an error, such as `ENOENT`, or `''` if it has none. */
export function errorCode(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''
}

// A second name would let someone in elsewhere. Whoever cannot read the file learns it here and not
// from `open`: an error of that is one of the system's, which must not pass for a lock that is free.
function isUsable(stats: Stats): boolean {
  return (
    stats.isFile() &&
    stats.nlink === 1 &&
    stats.size <= largestFileBytes &&
    !isOfAnother(stats) &&
    !isOpenToOthers(stats) &&
    (stats.mode & 0o400) !== 0
  )
}

function isOfAnother({ uid }: Stats): boolean {
  return process.getuid !== undefined && uid !== process.getuid()
}

// Windows has no such bits, and Node makes some up.
function isOpenToOthers({ mode }: Stats): boolean {
  return process.getuid !== undefined && (mode & 0o077) !== 0
}

/**
 * Returns the user's folder for files that programs can do without.
 *
 * @see https://specifications.freedesktop.org/basedir-spec/latest/
 */
export function cacheFolder(
  platform: string = process.platform,
  environment: Readonly<Record<string, string | undefined>> = process.env,
  home: () => string = homedir,
): string {
  const named = (name: string): string | undefined => {
    const value = environment[name]
    // The specification has a relative path ignored.
    return value !== undefined && isAbsolute(value) ? value : undefined
  }
  if (platform === 'win32') return named('LOCALAPPDATA') ?? join(home(), 'AppData', 'Local')
  if (platform === 'darwin') return join(home(), 'Library', 'Caches')
  return named('XDG_CACHE_HOME') ?? join(home(), '.cache')
}
