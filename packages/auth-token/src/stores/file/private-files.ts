/// <reference types="node" />
import type { System } from './system.ts'

/** Reads a file, or resolves to `undefined` if there is none. */
export async function readFile({ files }: System, path: string): Promise<string | undefined> {
  return files.readFile(path, 'utf8').catch(ignoreCodes('ENOENT'))
}

/** Makes a file that only this user can read, and is done when it is on the disk. */
export async function writePrivateFile(
  { files }: System,
  path: string,
  text: string,
): Promise<void> {
  const handle = await files.open(path, 'wx', 0o600)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Puts the names in a folder on the disk, where the system and the disk know of that. */
export async function syncFolder({ files, isPosix }: System, path: string): Promise<void> {
  if (!isPosix) return
  const handle = await files.open(path, 'r')
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
