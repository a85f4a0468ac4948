import { randomUUID } from 'node:crypto'
import { open, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { errorCode, UsageError } from '../../exit.ts'

/** A file that a response is written to. */
export interface Download {
  /** Writes a piece after those before. */
  write(chunk: Uint8Array): Promise<void>
  /** Puts the file in its place. */
  end(): Promise<void>
  /** Removes a download that is not complete. */
  abandon(): Promise<void>
}

/**
 * Opens a file for a response, beside the one that it replaces and as private. Two downloads of one name have a file
 * each; the name goes to the last that is complete.
 */
export async function openDownload(file: string): Promise<Download> {
  const target = await findTarget(file)
  // A device or a pipe has nothing to replace.
  const path = target.isSpecial ? target.path : `${target.path}.part-${randomUUID().slice(0, 8)}`
  const fail = (cause: unknown): never => {
    throw fileError(file, cause)
  }
  const handle = await open(path, target.isSpecial ? 'w' : 'wx', target.mode).catch(fail)
  let isOpen = true
  const close = async (): Promise<void> => {
    if (isOpen) await handle.close()
    isOpen = false
  }
  const putInPlace = async (): Promise<void> => {
    if (target.mode !== undefined) await handle.chmod(target.mode)
    // A full disk may speak only now.
    await handle.sync()
    // Windows renames no file that is open.
    await close()
    await rename(path, target.path)
  }
  return {
    write: (chunk) => handle.appendFile(chunk).catch(fail),
    end: () => (target.isSpecial ? close() : putInPlace().catch(fail)),
    async abandon() {
      await close()
      if (!target.isSpecial) await rm(path, { force: true })
    },
  }
}

/** Finds the file that a name stands for, behind symbolic links, which stay. A device or a pipe is special. */
async function findTarget(file: string) {
  if (file === '') throw new UsageError('--output names no file')
  try {
    const path = await realpath(file)
    const status = await stat(path)
    if (status.isDirectory()) {
      throw new UsageError(
        `--output ${file} is a folder; give a file, or --remote-name in that folder`,
      )
    }
    return { path, mode: status.mode & 0o7777, isSpecial: !status.isFile() }
  } catch (error) {
    if (error instanceof UsageError) throw error
    if (errorCode(error) !== 'ENOENT') throw fileError(file, error)
    return { path: file, mode: undefined, isSpecial: false }
  }
}

function fileError(file: string, cause: unknown): UsageError {
  const code = errorCode(cause)
  const remedy = code === 'ENOSPC' || code === 'EDQUOT' ? '; make room on the disk' : ''
  return new UsageError(`--output ${file} cannot be written (${code})${remedy}`, { cause })
}

/** Returns the name of the file that `--remote-name` writes to. */
export function remoteName({ pathname }: URL): string {
  const last = pathname.slice(pathname.lastIndexOf('/') + 1)
  let name = last
  try {
    name = decodeURIComponent(last)
  } catch {
    // It is no UTF-8, and keeps its escapes.
  }
  const isName = !['', '.', '..'].includes(name) && basename(name) === name && !/[\0\\]/.test(name)
  if (isName) return name
  throw new UsageError(
    '--remote-name: the path does not end with the name of a file; give --output',
  )
}
