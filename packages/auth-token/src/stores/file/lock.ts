/// <reference types="node" />
import type { Platform } from './platform.ts'
import { errorCode } from './private-files.ts'

/** The owner of a lock. */
export interface LockHolder {
  readonly owner: string
  readonly takenAt: number
  readonly expiresAt: number
  readonly process: { readonly host: string; readonly pid: number }
}

/** The largest correction of a running clock that is tolerated for a lock. */
const toleranceMs = 60_000

/** Returns the text of a lock file. */
export function lockText({ process, ...holder }: LockHolder): string {
  // Earlier versions take a lock for free whose process has no `start`.
  return JSON.stringify({ version: 1, ...holder, process: { ...process, start: '' } })
}

/** Reads a lock file. Returns `undefined` if it makes no sense. */
export function parseLock(text: string): LockHolder | undefined {
  const { version, owner, takenAt, expiresAt, process: by } = parseObject(text) ?? {}
  if (version !== 1 || typeof owner !== 'string' || !isObject(by)) return undefined
  if (typeof takenAt !== 'number' || typeof expiresAt !== 'number') return undefined
  const { host, pid } = by
  // A process is asked for by its number, and others mean many of them.
  if (typeof host !== 'string' || !isPid(pid)) return undefined
  return { owner, takenAt, expiresAt, process: { host, pid } }
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

/** Tells if a lock still holds. A clock that was set back does not make it last longer. */
export function holds(
  platform: Platform,
  { takenAt, expiresAt, process }: LockHolder,
  now: number,
): boolean {
  if (now >= expiresAt || now <= takenAt - toleranceMs) return false
  const { host, pid } = process
  if (host === '' || host !== platform.host()) return true
  try {
    platform.findProcess(pid)
    return true
  } catch (error) {
    // Other codes mean that it is there, or that the runtime does not let us ask.
    return errorCode(error) !== 'ESRCH'
  }
}

function isPid(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
