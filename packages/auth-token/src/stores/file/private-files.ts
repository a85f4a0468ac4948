/// <reference types="node" />
import { constants, type Stats } from 'node:fs'
import { errorCode, type Platform } from './platform.ts'

const largestFileBytes = 4 * 2 ** 20
const { O_CREAT, O_EXCL, O_RDONLY, O_WRONLY } = constants

/** Returns why a folder is not for this user alone, as the end of a sentence. */
export function directoryError(platform: Platform, stats: Stats, path: string): string | undefined {
  if (!stats.isDirectory()) {
    return `must be a folder, not a link to one: remove ${path} or choose another path`
  }
  if (isOfAnother(platform, stats)) {
    return `must be a folder that you own: ${path} belongs to user ${stats.uid}`
  }
  if (isOpenToOthers(platform, stats)) {
    return `must be a folder that only you can access: run chmod 700 ${path}`
  }
  return undefined
}

/** Reads a file of this user's, or resolves to `undefined` if it is missing or anything else. */
export async function readPrivateFile(
  platform: Platform,
  path: string,
): Promise<string | undefined> {
  const { files, rules } = platform
  const seen = await files.lstat(path).catch(ignoreCodes('ENOENT'))
  if (!seen || !isUsable(platform, seen)) return undefined
  const handle = await files
    .open(path, O_RDONLY | rules.openFlags)
    .catch(ignoreCodes('ENOENT', 'ELOOP'))
  if (!handle) return undefined
  try {
    const opened = await handle.stat()
    // Where `open` follows a link, only this tells.
    const isSame = opened.ino === seen.ino && (!rules.hasDiskNumbers || opened.dev === seen.dev)
    return isSame && isUsable(platform, opened) ? await handle.readFile('utf8') : undefined
  } finally {
    await handle.close()
  }
}

/** Makes a file that only this user can read, and is done when it is on the disk. */
export async function writePrivateFile(
  platform: Platform,
  path: string,
  text: string,
): Promise<void> {
  const flags = O_WRONLY | O_CREAT | O_EXCL | platform.rules.openFlags
  const handle = await platform.files.open(path, flags, 0o600)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } catch (error) {
    await removeFile(platform, path)
    throw error
  } finally {
    await handle.close()
  }
}

/** Changes the names in a folder, and is done when they are on the disk, where the system and the disk know of that. */
export async function changeFolder<Result>(
  { files, rules }: Platform,
  path: string,
  change: () => Promise<Result>,
): Promise<Result> {
  if (!rules.hasFolderSync) return change()
  // Before the change, since a process may have no file left to open.
  const handle = await files.open(path, O_RDONLY | rules.openFlags)
  try {
    const result = await change()
    await handle.sync().catch(ignoreCodes('EINVAL', 'ENOTSUP'))
    return result
  } finally {
    await handle.close()
  }
}

/** Removes a file if that can be done. */
export async function removeFile({ files }: Platform, path: string): Promise<void> {
  await files.unlink(path).catch(() => {})
}

/** Returns a handler for `catch` that ignores errors with these codes and throws all others again. */
export function ignoreCodes(...codes: readonly string[]): (error: unknown) => undefined {
  return (error) => {
    if (!codes.includes(errorCode(error))) throw error
    return undefined
  }
}

// A second name would let someone in elsewhere. Whoever cannot read the file learns it here and not
// from `open`: an error of that is one of the system's, which must not pass for a lock that is free.
function isUsable(platform: Platform, stats: Stats): boolean {
  return (
    stats.isFile() &&
    stats.nlink === 1 &&
    stats.size <= largestFileBytes &&
    !isOfAnother(platform, stats) &&
    !isOpenToOthers(platform, stats) &&
    (stats.mode & 0o400) !== 0
  )
}

function isOfAnother({ rules, uid }: Platform, stats: Stats): boolean {
  return rules.hasModes && stats.uid !== uid()
}

function isOpenToOthers({ rules }: Platform, { mode }: Stats): boolean {
  return rules.hasModes && (mode & 0o077) !== 0
}
