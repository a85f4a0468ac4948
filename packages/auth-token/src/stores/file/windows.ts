/// <reference types="node" />
import { errorCode, ignoreCodes, type System, type SystemFiles } from './system.ts'

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

/** Has Windows asked again where a pause may help. A removal is not worth one: the next sweep does it. */
export function patientSystem(system: System): System {
  if (system.isPosix) return system
  const { files, wait } = system
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
  const patientFiles: SystemFiles = {
    ...files,
    lstat: (path) => patient(() => files.lstat(path)),
    open: (path, flags, mode) => patient(() => files.open(path, flags, mode)),
    readFile: (path, encoding) => patient(() => files.readFile(path, encoding)),
    readdir: (path) => patient(() => files.readdir(path)),
    rename: (from, to) => patient(() => files.rename(from, to)),
  }
  return { ...system, files: patientFiles }
}

/**
 * Renames a file for one caller alone, which makes a file beside it before that. Windows opens a file and then renames
 * what it opened: of two that rename one at once, both would succeed, and the later name would stay.
 *
 * @returns `false` if another caller was faster, or is at it.
 */
export async function renameClaimed(system: System, from: string, to: string): Promise<boolean> {
  const { files, now, wait } = system
  const claim = `${from}.claim.1`
  try {
    const handle = await files.open(claim, 'wx', 0o600)
    await handle.close()
  } catch (error) {
    if (errorCode(error) !== 'EEXIST' && !isBusy(error)) throw error
    const stats = await files.lstat(claim).catch(ignoreCodes('ENOENT'))
    // A process was killed with its claim. A clock that was set back does not make that last longer.
    const isOld = stats && Math.abs(now() - stats.mtimeMs) >= claimLastsMs
    await (isOld ? files.unlink(claim).catch(() => {}) : wait(claimPauseMs))
    return false
  }
  try {
    await files.rename(from, to)
    return true
  } finally {
    await files.unlink(claim).catch(() => {})
  }
}

function isBusy(error: unknown): boolean {
  return busyCodes.has(errorCode(error))
}
