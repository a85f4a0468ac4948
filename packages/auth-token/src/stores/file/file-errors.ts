import type { SystemFiles } from './platform.ts'

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

/** Renames a file. Resolves to `false` if it no longer has the name. */
export async function renameIfThere(
  files: SystemFiles,
  from: string,
  to: string,
): Promise<boolean> {
  try {
    await files.rename(from, to)
    return true
  } catch (error) {
    ignoreCodes('ENOENT')(error)
    return false
  }
}
