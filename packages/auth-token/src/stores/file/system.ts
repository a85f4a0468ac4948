/// <reference types="node" />
import type { Stats } from 'node:fs'
import * as files from 'node:fs/promises'
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

/** A file that was opened. */
export type OpenFile = Pick<files.FileHandle, 'close' | 'sync' | 'writeFile'>

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

/** The system that this process runs on. */
export const thisSystem: System = {
  name: process.platform,
  isPosix: process.platform !== 'win32',
  environment: process.env,
  files,
  home: homedir,
  now: () => Date.now(),
  wait: (ms) => delay(ms),
}
