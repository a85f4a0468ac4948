/// <reference types="node" />
import { lstatSync, mkdirSync, readFileSync, readlinkSync, type Stats } from 'node:fs'
import * as files from 'node:fs/promises'
import { homedir, hostname } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { patientFiles } from './windows.ts'

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

/** The system that this process runs on. */
export const thisSystem: System = {
  name: process.platform,
  environment: process.env,
  pid: process.pid,
  files,
  home: homedir,
  host: thisHost,
  uid: () => process.getuid?.(),
  findProcess: (pid) => void process.kill(pid, 0),
  openFolder(path) {
    mkdirSync(path, { recursive: true, mode: 0o700 })
    return lstatSync(path)
  },
  now: () => Date.now(),
  wait: (ms) => delay(ms),
}

/**
 * Hosts and containers that share a folder may share a name, too, and the pids of one mean nothing in the other. On
 * Linux the boot and the pid namespace tell them apart.
 */
function thisHost(): string {
  try {
    if (process.platform !== 'linux') return hostname()
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return [hostname(), boot, readlinkSync('/proc/self/ns/pid')].join(' ')
  } catch {
    return ''
  }
}

/** Gives a system the rules that it has by its name. */
export function platformOf(system: System): Platform {
  const isPosix = system.name !== 'win32'
  return { ...system, isPosix, files: isPosix ? system.files : patientFiles(system) }
}
