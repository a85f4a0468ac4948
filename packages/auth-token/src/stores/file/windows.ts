/// <reference types="node" />
import { constants } from 'node:fs'
import type { System, SystemFiles } from './platform.ts'
import { errorCode, ignoreCodes } from './private-files.ts'

const { O_CREAT, O_EXCL, O_WRONLY } = constants

/**
 * The pauses between attempts while another program has a file open, such as a virus scanner, or while a
 * file is being deleted. Only Windows keeps a process out for that.
 *
 * @see https://github.com/npm/write-file-atomic/issues/227
 */
const pausesMs = [10, 20, 40, 80, 160, 320]
// ERROR_SHARING_VIOLATION, and ERROR_ACCESS_DENIED by either of its names.
const busyCodes: ReadonlySet<string> = new Set(['EBUSY', 'EPERM', 'EACCES'])

/** Far longer than a rename takes, with all pauses. */
const claimLastsMs = 5000
const claimPauseMs = 10

/** Asks again where a pause may help. A removal is not worth one: the next sweep does it. */
export function patientFiles({ files, wait }: System): SystemFiles {
  const patient = async <Result>(action: () => Promise<Result>): Promise<Result> => {
    for (const pauseMs of pausesMs) {
      try {
        return await action()
      } catch (error) {
        if (!isBusy(error)) throw error
      }
      await wait(pauseMs)
    }
    return action()
  }
  const rename = async (from: string, to: string): Promise<void> => {
    try {
      await files.rename(from, to)
    } catch (cause) {
      // A folder that has the name already is EPERM, too, for which no pause helps.
      const isTaken = await files.lstat(to).catch(ignoreCodes('ENOENT'))
      throw isTaken
        ? Object.assign(new Error(`${to} exists`, { cause }), { code: 'EEXIST' })
        : cause
    }
  }
  return {
    ...files,
    lstat: (path) => patient(() => files.lstat(path)),
    open: (path, flags, mode) => patient(() => files.open(path, flags, mode)),
    readdir: (path) => patient(() => files.readdir(path)),
    rename: (from, to) => patient(() => rename(from, to)),
  }
}

/**
 * Renames a file for one caller alone, which makes a file beside it before that. Windows opens a file and then renames
 * what it opened: of two that rename one at once, both would succeed, and the later name would stay.
 */
export async function renameClaimed(system: System, from: string, to: string): Promise<boolean> {
  const { files, wait } = system
  const claim = await takeClaim(system, from)
  if (claim === undefined) {
    await wait(claimPauseMs)
    return false
  }
  try {
    await files.rename(from, to)
    return true
  } finally {
    await files.unlink(claim).catch(() => {})
  }
}

/**
 * Makes a file that only one caller can make. If a process is killed before it has removed it, the next number counts.
 * Removing its claim would not do: of two who found it too old, the later could remove that of the earlier.
 */
async function takeClaim({ files, now }: System, path: string): Promise<string | undefined> {
  for (let number = 1; number < 1000; number += 1) {
    const claim = `${path}.claim.${number}`
    try {
      const handle = await files.open(claim, O_WRONLY | O_CREAT | O_EXCL, 0o600)
      await handle.close()
      return claim
    } catch (error) {
      if (errorCode(error) !== 'EEXIST' && !isBusy(error)) throw error
    }
    const stats = await files.lstat(claim).catch(ignoreCodes('ENOENT'))
    // A clock that was set back does not make it last longer.
    if (!stats || Math.abs(now() - stats.mtimeMs) < claimLastsMs) return undefined
  }
  return undefined
}

function isBusy(error: unknown): boolean {
  return busyCodes.has(errorCode(error))
}
