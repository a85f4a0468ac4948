import { describe, expect, test } from 'vitest'
import { holds, type LockHolder, lockText, parseLock, platformOf, thisSystem } from '../testing.ts'

const platform = platformOf(thisSystem)
const { pid } = platform

const holder: LockHolder = {
  owner: 'one',
  takenAt: 1,
  expiresAt: 3,
  process: { host: platform.host(), pid },
}
const changed = (change: Record<string, unknown>): string =>
  JSON.stringify({ version: 1, ...holder, ...change })
const by = (change: Record<string, unknown>): string =>
  changed({ process: { ...holder.process, ...change } })

describe('a lock file', () => {
  test('says who holds the lock', () => {
    expect(parseLock(lockText(holder))).toEqual(holder)
  })

  test.each([
    ['is empty', ''],
    ['is cut off', lockText(holder).slice(0, -1)],
    ['is a list', '[]'],
    ['is null', 'null'],
    ['is of another version', changed({ version: 2 })],
    ['has no owner', changed({ owner: undefined })],
    ['has no instant', changed({ takenAt: '1' })],
    ['has no end', changed({ expiresAt: null })],
    ['has no process', changed({ process: 1 })],
    ['has no host', by({ host: 1 })],
    ['has no pid', by({ pid: '1' })],
  ])('that %s makes no sense', (_what, text) => {
    expect(parseLock(text)).toBeUndefined()
  })
})

describe('a lock', () => {
  /** No process has so large a number. */
  const noPid = 2 ** 31 - 1
  const isHeld = (process: Partial<LockHolder['process']>, now = 2): boolean =>
    holds(platform, { ...holder, process: { ...holder.process, ...process } }, now)

  test('is held by a process that runs, until it expires', () => {
    expect(isHeld({ pid })).toBe(true)
    expect(isHeld({ pid }, 3)).toBe(false)
  })

  test('is free once its process has ended', () => {
    expect(isHeld({ pid: noPid })).toBe(false)
  })

  // `kill` takes zero and negative numbers for groups of processes.
  test.each([0, -1, 1.5])('is held where its process has the number %d', (odd) => {
    expect(isHeld({ pid: odd })).toBe(true)
  })

  test.each(['', 'elsewhere'])('is held by any process of the host "%s"', (host) => {
    expect(isHeld({ pid: noPid, host })).toBe(true)
  })
})
