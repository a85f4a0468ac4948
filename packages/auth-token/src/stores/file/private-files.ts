/// <reference types="node" />
import { constants, type Stats } from 'node:fs'
import type { Platform } from './platform.ts'

const largestFileBytes = 4 * 2 ** 20
const { O_CREAT, O_EXCL, O_RDONLY, O_WRONLY } = constants

/** Returns why a folder is not for this user alone, as the end of a sentence. */
export function directoryError(
  { isPosix, uid }: Platform,
  stats: Stats,
  path: string,
): string | undefined {
  if (!stats.isDirectory()) {
    return `must be a folder, not a link to one: remove ${path} or choose another path`
  }
  if (isPosix && stats.uid !== uid()) {
    return `must be a folder that you own: ${path} belongs to user ${stats.uid}`
  }
  if (isPosix && (stats.mode & 0o077) !== 0) {
    return `must be a folder that only you can access: run chmod 700 ${path}`
  }
  return undefined
}

/** Reads a file, or resolves to `undefined` if it is missing, or anything else than a file of this module. */
export async function readPrivateFile(
  { files }: Platform,
  path: string,
): Promise<string | undefined> {
  const stats = await files.lstat(path).catch(ignoreCodes('ENOENT'))
  if (!stats?.isFile() || stats.size > largestFileBytes) return undefined
  const handle = await files.open(path, O_RDONLY).catch(ignoreCodes('ENOENT'))
  if (!handle) return undefined
  try {
    return await handle.readFile('utf8')
  } finally {
    await handle.close()
  }
}

/** Makes a file that only this user can read, and is done when it is on the disk. */
export async function writePrivateFile(
  { files }: Platform,
  path: string,
  text: string,
): Promise<void> {
  const handle = await files.open(path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } catch (error) {
    await files.unlink(path).catch(() => {})
    throw error
  } finally {
    await handle.close()
  }
}

/** Puts the names in a folder on the disk, where the system and the disk know of that. */
export async function syncFolder({ files, isPosix }: Platform, path: string): Promise<void> {
  if (!isPosix) return
  const handle = await files.open(path, O_RDONLY)
  try {
    await handle.sync().catch(ignoreCodes('EINVAL', 'ENOTSUP'))
  } finally {
    await handle.close()
  }
}

/** Returns the code of an error, such as `ENOENT`, or `''` if it has none. */
export function errorCode(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''
}

/** Returns a handler for `catch` that ignores errors with these codes and throws all others again. */
export function ignoreCodes(...codes: readonly string[]): (error: unknown) => undefined {
  return (error) => {
    if (!codes.includes(errorCode(error))) throw error
    return undefined
  }
}
