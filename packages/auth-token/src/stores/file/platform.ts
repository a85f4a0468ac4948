/// <reference types="node" />
import type { Stats } from 'node:fs'

/** The files of an operating system, as far as a file store uses them. */
export interface SystemFiles {
  lstat(path: string): Promise<Stats>
  mkdir(path: string, options: { readonly mode: number }): Promise<unknown>
  open(path: string, flags: number, mode?: number): Promise<OpenFile>
  readdir(path: string): Promise<string[]>
  rename(from: string, to: string): Promise<void>
  rmdir(path: string): Promise<void>
  unlink(path: string): Promise<void>
}

/** A file that was opened. */
export interface OpenFile {
  readFile(encoding: 'utf8'): Promise<string>
  writeFile(text: string): Promise<void>
  sync(): Promise<void>
  close(): Promise<void>
}

/** An operating system, as far as a file store asks it for anything. */
export interface System {
  /** The name of the system, as `process.platform` has it. */
  readonly name: string
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly pid: number
  readonly files: SystemFiles
  readonly home: () => string
  /** Returns the name within which a pid means one process; `''` if it is not known. */
  readonly host: () => string
  /** Returns the number of this user, or `undefined` where users have none. */
  readonly uid: () => number | undefined
  /** Throws if there is no such process. */
  readonly findProcess: (pid: number) => void
  /** Makes a folder for this user alone, and those above it, unless it is there. */
  readonly openFolder: (path: string) => Stats
  /** The time of the files, in epoch milliseconds. */
  readonly now: () => number
  readonly wait: (ms: number) => Promise<void>
}

/** A system whose files are asked again where a pause may help. */
export interface Platform extends System {
  /**
   * `false` on Windows. There Node makes owners and modes up: an access control list keeps others out of a user's
   * profile. Nor can a folder be flushed to the disk.
   */
  readonly isPosix: boolean
}
