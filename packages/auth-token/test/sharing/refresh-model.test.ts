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
  ['two slow writes', { ...none, wants: [2, 1], slowWrites: 2, expiries: 0 }],
  [
    'a slow write and requests that never arrive',
    { ...none, wants: [1, 1], slowWrites: 1, unsent: 1, refused: 1, expiries: 0 },
  ],
  ['a lost response and a slow write', { ...none, wants: [2, 2], lostResponses: 1, slowWrites: 1 }],
  ['a crash and a slow write', { ...none, wants: [2, 2], crashes: 1, slowWrites: 1 }],
  ['a store that goes back', { ...none, wants: [2, 2], rollbacks: 1 }],
  // Not with slow writes: no count of generations tells one of before that lands after a store was emptied.
  ['a store that goes back, and again', { ...none, wants: [3, 1], rollbacks: 2 }],
  [
    'a store that goes back while a refresh fails',
    { ...none, wants: [2, 1], rollbacks: 1, unsent: 1, lostResponses: 1, expiries: 0 },
  ],
  [
    'the version before beside it',
    { ...none, wants: [2, 2], old: [1], slowWrites: 1, unsent: 1, expiries: 0 },
  ],
  ['patience', { ...none, wants: [2, 2], waitsEnd: 'gone', slowWrites: 1, unsent: 1, expiries: 0 }],
]

const large: readonly [what: string, bounds: Bounds][] = [
  ['three processes', { ...none, wants: [1, 1, 1], slowWrites: 1, unsent: 1, crashes: 1 }],
  ['three slow writes', { ...none, wants: [2, 1], slowWrites: 3, refused: 1, expiries: 0 }],
  ['all of it', { ...none, wants: [2, 1], slowWrites: 1, crashes: 1, unsent: 1, lostResponses: 1 }],
  ['refusals', { ...none, wants: [2, 1], slowWrites: 1, unsent: 1, refused: 1 }],
  ['patience for longer', { ...none, wants: [2, 2], waitsEnd: 'gone', slowWrites: 1, unsent: 1 }],
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

  type Rules = NonNullable<Parameters<typeof searchModel>[1]>
  const twice = 'a refresh token was sent twice'
  const slow = { ...none, wants: [2, 1], slowWrites: 1, unsent: 1, expiries: 2 }
  const back = { ...none, wants: [3], rollbacks: 1, unsent: 1 }
  const faults: readonly [what: string, rules: Rules, violation: string, bounds: Bounds][] = [
    [
      'a note is taken back by a look alone',
      {
        settle(opened, id, as) {
          const isNoted = opened.content.spending?.id === id
          return as.name === 'unspent' && !isNoted ? undefined : settled(opened, id, as)
        },
      },
      'the sign-in did not heal',
      slow,
    ],
    [
      'a late result does not heal what was told lost',
      {
        settle: (opened, id, as) =>
          opened.content.spending?.lostAt === undefined ? settled(opened, id, as) : undefined,
      },
      'the sign-in did not heal',
      slow,
    ],
    [
      'a note is taken back although it is of another',
      {
        settle: (opened, id, as) =>
          as.name === 'unspent'
            ? { ...opened.content, spending: undefined }
            : settled(opened, id, as),
      },
      twice,
      slow,
    ],
    [
      'a sender that looked at an older record takes it for the last',
      { known: (_before, generation) => generation },
      twice,
      back,
    ],
    [
      'a note is taken back from a record before the one that it was made over',
      {
        settle(opened, id, as) {
          const isBefore = as.name === 'unspent' && opened.generation < as.base
          return isBefore ? opened.content : settled(opened, id, as)
        },
      },
      twice,
      back,
    ],
  ]
  test.each(atNight(faults, faults.slice(2)))(
    'would not hold where %s',
    (_what, rules, violation, bounds) => {
      expect(searchModel(bounds, rules, violation).violations).toContain(violation)
    },
  )
})
