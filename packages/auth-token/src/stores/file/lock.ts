/// <reference types="node" />
import { errorCode, type Platform } from './platform.ts'

/** The owner of a lock. */
export interface LockHolder {
  readonly owner: string
  readonly takenAt: number
  readonly expiresAt: number
  readonly process: ProcessIdentity
}

/** Tells processes apart, also those that got the same number one after the other. */
export interface ProcessIdentity {
  /** Within it a number means one process; `''` if it is not known. */
  readonly host: string
  readonly pid: number
  /** Time at which the process started, as Linux tells it; `''` elsewhere. */
  readonly start: string
}

/** Returns the identity of this process. */
export function thisProcess(platform: Platform): ProcessIdentity {
  const { pid } = platform
  return { host: host(platform), pid, start: processStatus(platform, pid)?.start ?? '' }
}

/** Returns the text of a lock file. */
export function lockText(holder: LockHolder): string {
  return JSON.stringify({ version: 1, ...holder })
}

/** Reads a lock file. Returns `undefined` if it makes no sense. */
export function parseLock(text: string): LockHolder | undefined {
  const value = parseObject(text)
  if (value?.['version'] !== 1) return undefined
  const { owner, takenAt, expiresAt, process: by } = value
  if (typeof owner !== 'string' || !isObject(by)) return undefined
  if (typeof takenAt !== 'number' || typeof expiresAt !== 'number') return undefined
  const { host: on, pid, start } = by
  if (typeof on !== 'string' || typeof start !== 'string') return undefined
  // Zero and negative ones are groups of processes.
  if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid <= 0) return undefined
  return { owner, takenAt, expiresAt, process: { host: on, pid, start } }
}

/** Parses JSON. Returns `undefined` if it is not an object. */
export function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Tells if a process has certainly ended, as seen from this one. */
export function hasEnded(
  platform: Platform,
  { host: on, pid, start }: ProcessIdentity,
  self: ProcessIdentity,
): boolean {
  if (on === '' || on !== self.host) return false
  try {
    platform.findProcess(pid)
  } catch (error) {
    // Other codes mean that it is there, or that the runtime does not let us ask.
    return errorCode(error) === 'ESRCH'
  }
  const status = processStatus(platform, pid)
  // One that was killed keeps its number until its parent has asked for it.
  return status !== undefined && (status.isZombie || (start !== '' && status.start !== start))
}

// Hosts and containers that share a folder may share a name too, and the pids of one mean nothing in
// the other. On Linux the boot and the pid namespace tell them apart, where this is their `/proc`.
function host({ rules, pid, hostname, readFileSync, readlinkSync }: Platform): string {
  try {
    if (!rules.hasProc) return hostname()
    if (readlinkSync('/proc/self') !== String(pid)) return ''
    const boot = readFileSync('/proc/sys/kernel/random/boot_id').trim()
    return [hostname(), boot, readlinkSync('/proc/self/ns/pid')].join(' ')
  } catch {
    return ''
  }
}

/**
 * Returns the state of a process and the instant at which it started.
 *
 * @see https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
 */
function processStatus(
  { rules, readFileSync }: Platform,
  pid: number,
): { isZombie: boolean; start: string } | undefined {
  if (!rules.hasProc) return undefined
  try {
    const text = readFileSync(`/proc/${pid}/stat`)
    // The second field is the name of the program in parentheses, which may have any character in it.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const [state = ''] = fields
    return { isZombie: state === 'Z' || state === 'X', start: fields[19] ?? '' }
  } catch {
    return undefined
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
