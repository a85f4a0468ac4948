import { describe, expect, test } from 'vitest'
import {
  hasEnded,
  type LockHolder,
  lockText,
  parseLock,
  platformOf,
  thisProcess,
  thisSystem,
} from '../testing.ts'

const platform = platformOf(thisSystem)

const holder: LockHolder = {
  owner: 'one',
  takenAt: 1,
  expiresAt: 2,
  process: thisProcess(platform),
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
    ['has no start', by({ start: 1 })],
    ['has no pid', by({ pid: '1' })],
    ['has a pid that is none', by({ pid: 1.5 })],
    ['names every process of its group', by({ pid: 0 })],
    ['names a group of processes', by({ pid: -1 })],
  ])('that %s makes no sense', (_what, text) => {
    expect(parseLock(text)).toBeUndefined()
  })
})

describe('a process', () => {
  const self = thisProcess(platform)

  test('that runs has not ended, and one that had its number before has', () => {
    expect(hasEnded(platform, self, self)).toBe(false)
    expect(hasEnded(platform, { ...self, start: '' }, self)).toBe(false)
    expect(hasEnded(platform, { ...self, start: '1' }, self)).toBe(process.platform === 'linux')
  })

  test.each(['', 'elsewhere'])('of the host "%s" is not known to have ended', (host) => {
    // No process has so large a number.
    expect(hasEnded(platform, { ...self, pid: 2 ** 31 - 1 }, self)).toBe(true)
    expect(hasEnded(platform, { ...self, pid: 2 ** 31 - 1, host }, { ...self, host: '' })).toBe(
      false,
    )
  })
})
