import { describe, expect, test } from 'vitest'
import { atNight } from '../../../../tests/support/nightly.ts'
import { settled } from '../testing.ts'
import { type Bounds, searchModel } from './refresh-model.ts'

const none = {
  crashes: 0,
  expiries: 1,
  slowWrites: 0,
  unsent: 0,
  refused: 0,
  lostResponses: 0,
  rollbacks: 0,
  waitsEnd: 'any',
} as const

const searches: readonly [what: string, bounds: Bounds][] = [
  ['no fault', { ...none, wants: [2, 1], expiries: 2 }],
  ['a crash', { ...none, wants: [2, 2], crashes: 1 }],
  ['two slow writes', { ...none, wants: [2, 1], slowWrites: 2 }],
  [
    'a slow write and requests that never arrive',
    { ...none, wants: [2, 1], slowWrites: 1, unsent: 1, refused: 1 },
  ],
  ['a lost response and a slow write', { ...none, wants: [2, 2], lostResponses: 1, slowWrites: 1 }],
  ['a crash and a slow write', { ...none, wants: [2, 2], crashes: 1, slowWrites: 1 }],
  ['a store that goes back', { ...none, wants: [2, 2], rollbacks: 1 }],
  ['the version before beside it', { ...none, wants: [2, 2], old: [1], slowWrites: 1, unsent: 1 }],
  ['patience', { ...none, wants: [2, 2], waitsEnd: 'gone', slowWrites: 1, unsent: 1 }],
]

const large: readonly [what: string, bounds: Bounds][] = [
  ['three processes', { ...none, wants: [2, 2, 1], slowWrites: 1, unsent: 1, crashes: 1 }],
  ['three slow writes', { ...none, wants: [2, 2], slowWrites: 3, refused: 1, expiries: 2 }],
  ['all of it', { ...none, wants: [2, 2], slowWrites: 2, crashes: 1, unsent: 1, lostResponses: 1 }],
]

describe('the journal of a refresh', () => {
  test.each([...searches, ...atNight(large, [])])(
    'holds in every order of events: %s',
    { timeout: 600_000 },
    (_what, bounds) => {
      const { violations, ends, states, transitions } = searchModel(bounds)
      expect(violations).toEqual([])
      expect(ends).toBeGreaterThan(0)
      expect(transitions).toBeGreaterThan(states)
    },
  )

  const faults: readonly [what: string, settle: typeof settled, violation: string][] = [
    [
      'a note is taken back by a look alone',
      (opened, id, as) => {
        const isNoted = opened.content.spending?.id === id
        return as.name === 'unsent' && !isNoted ? undefined : settled(opened, id, as)
      },
      'the sign-in did not heal',
    ],
    [
      'a late result does not heal what was told lost',
      (opened, id, as) =>
        opened.content.spending?.lostAt === undefined ? settled(opened, id, as) : undefined,
      'the sign-in did not heal',
    ],
    [
      'a note is taken back although it is of another',
      (opened, id, as) =>
        as.name === 'unsent' ? { ...opened.content, spending: undefined } : settled(opened, id, as),
      'a refresh token was sent twice',
    ],
  ]
  test.each(atNight(faults, faults.slice(2)))(
    'would not hold where %s',
    (_what, settle, violation) => {
      const bounds = { ...none, wants: [2, 1], slowWrites: 1, unsent: 1, expiries: 2 }
      expect(searchModel(bounds, settle).violations).toContain(violation)
    },
  )
})
