/// <reference types="node" />
import { constants, lstatSync, mkdirSync, readFileSync, readlinkSync, type Stats } from 'node:fs'
import * as files from 'node:fs/promises'
import { homedir, hostname } from 'node:os'

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
  stat(): Promise<Stats>
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
  readonly hostname: () => string
  /** Returns the number of this user, or `undefined` where users have none. */
  readonly uid: () => number | undefined
  /** Throws if there is no such process. */
  readonly findProcess: (pid: number) => void
  readonly lstatSync: (path: string) => Stats
  /** Makes a folder for this user alone, and those above it. */
  readonly mkdirSync: (path: string) => void
  readonly readFileSync: (path: string) => string
  readonly readlinkSync: (path: string) => string
  /** The time of the files, in epoch milliseconds. */
  readonly now: () => number
  readonly wait: (ms: number) => Promise<void>
}

/** All in which operating systems differ for a file store. */
export interface PlatformRules {
  /**
   * `true` if files have an owner and a mode. On Windows Node makes both up: what keeps others out of a
   * user's profile is its access control list.
   */
  readonly hasModes: boolean
  /**
   * `true` if a disk has the same number by name and by handle. On Windows, libuv before 1.51 gives 64
   * bits of it by name and 32 by handle.
   *
   * @see https://github.com/libuv/libuv/pull/4698
   */
  readonly hasDiskNumbers: boolean
  /**
   * `true` if a file that is renamed by two at once gets one of the names, and the other gets ENOENT.
   * Windows opens the file and then renames what it opened: both succeed there, and the later name stays.
   */
  readonly hasExclusiveRename: boolean
  /** `true` if a folder can be flushed to the disk. Windows says EPERM. */
  readonly hasFolderSync: boolean
  /** `true` if `/proc` tells processes apart that had the same number. */
  readonly hasProc: boolean
  /** Added to the flags of `open`; Windows has none of these. */
  readonly openFlags: number
  /**
   * The pauses between attempts while another program has a file open, such as a virus scanner, or while a
   * file is being deleted. Only Windows keeps anybody out for that.
   *
   * @see https://github.com/npm/write-file-atomic/issues/227
   */
  readonly pausesMs: readonly number[]
}

/** A system with its rules; its files are asked again where a pause may help. */
export interface Platform extends System {
  readonly rules: PlatformRules
}

const posix: PlatformRules = {
  hasModes: true,
  hasDiskNumbers: true,
  hasExclusiveRename: true,
  hasFolderSync: true,
  hasProc: false,
  openFlags: constants.O_NOFOLLOW | constants.O_NONBLOCK,
  pausesMs: [],
}
const windows: PlatformRules = {
  hasModes: false,
  hasDiskNumbers: false,
  hasExclusiveRename: false,
  hasFolderSync: false,
  hasProc: false,
  openFlags: 0,
  pausesMs: [10, 20, 40, 80, 160, 320],
}
// ERROR_SHARING_VIOLATION, and ERROR_ACCESS_DENIED by either of its names.
const busyCodes: ReadonlySet<string> = new Set(['EBUSY', 'EPERM', 'EACCES'])

/** The system that this process runs on. */
export const thisSystem: System = {
  name: process.platform,
  environment: process.env,
  pid: process.pid,
  files,
  home: homedir,
  hostname,
  uid: () => process.getuid?.(),
  findProcess: (pid) => void process.kill(pid, 0),
  lstatSync,
  mkdirSync: (path) => void mkdirSync(path, { recursive: true, mode: 0o700 }),
  readFileSync: (path) => readFileSync(path, 'utf8'),
  readlinkSync,
  now: () => Date.now(),
  wait: (ms) =>
    new Promise((resolve) => {
      setTimeout(resolve, ms)
    }),
}

/** Gives a system the rules that it has by its name. */
export function platformOf(system: System): Platform {
  const rules = system.name === 'win32' ? windows : { ...posix, hasProc: system.name === 'linux' }
  return { ...system, rules, files: patientFiles(system, rules) }
}

/** Returns the code of an error, such as `ENOENT`, or `''` if it has none. */
export function errorCode(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''
}

/** Tells if an error may be gone after a pause. */
export function isBusy(error: unknown, { pausesMs }: PlatformRules): boolean {
  return pausesMs.length > 0 && busyCodes.has(errorCode(error))
}

/** Asks again where a pause may help. A removal is not worth one: the next sweep does it. */
function patientFiles({ files: given, wait }: System, rules: PlatformRules): SystemFiles {
  const patient = async <Result>(
    action: () => Promise<Result>,
    mayHelp: () => Promise<boolean> = async () => true,
  ): Promise<Result> => {
    for (const pauseMs of rules.pausesMs) {
      try {
        return await action()
      } catch (error) {
        if (!isBusy(error, rules) || !(await mayHelp())) throw error
      }
      await wait(pauseMs)
    }
    return action()
  }
  const isMissing = (path: string): Promise<boolean> =>
    given.lstat(path).then(
      () => false,
      (error: unknown) => errorCode(error) === 'ENOENT',
    )
  return {
    ...given,
    lstat: (path) => patient(() => given.lstat(path)),
    open: (path, flags, mode) => patient(() => given.open(path, flags, mode)),
    readdir: (path) => patient(() => given.readdir(path)),
    // A folder that has the name already is EPERM too, for which no pause helps.
    rename: (from, to) =>
      patient(
        () => given.rename(from, to),
        () => isMissing(to),
      ),
  }
}
