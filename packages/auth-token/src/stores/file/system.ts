/// <reference types="node" />
import type { Stats } from 'node:fs'
import * as nodeFiles from 'node:fs/promises'
import { homedir } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'

/** The files of an operating system, as far as a file store uses them. */
export interface SystemFiles {
  lstat(path: string): Promise<Stats>
  mkdir(path: string, options: { readonly mode: number }): Promise<unknown>
  open(path: string, flags: 'r' | 'wx', mode?: number): Promise<OpenFile>
  readFile(path: string, encoding: 'utf8'): Promise<string>
  readdir(path: string): Promise<string[]>
  rename(from: string, to: string): Promise<void>
  rmdir(path: string): Promise<void>
  unlink(path: string): Promise<void>
}

export type OpenFile = Pick<nodeFiles.FileHandle, 'close' | 'sync' | 'writeFile'>

/** An operating system, as far as a file store asks it for anything. */
export interface System {
  /** The name of the system, as `process.platform` has it. */
  readonly name: string
  /**
   * `false` on Windows. There Node makes owners and modes up: an access control list keeps others out of a user's
   * profile. Nor can a folder be flushed to the disk.
   */
  readonly isPosix: boolean
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly files: SystemFiles
  readonly home: () => string
  /** The time of the files, in epoch milliseconds. */
  readonly now: () => number
  readonly wait: (ms: number) => Promise<void>
}

export const thisSystem: System = {
  name: process.platform,
  isPosix: process.platform !== 'win32',
  environment: process.env,
  files: nodeFiles,
  home: homedir,
  now: () => Date.now(),
  wait: (ms) => delay(ms),
}

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
