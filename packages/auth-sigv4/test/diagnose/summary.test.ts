import type { Difference } from '@svc/auth-sigv4/diagnose'
import { expect, test } from 'vitest'
import { summarize } from '../testing.ts'

const difference = (ours: string, theirs: string, line = 'path'): Difference => ({
  line,
  ours,
  theirs,
  hint: 'It was changed.',
})

const summaryOf = (differences: readonly Difference[], notes: readonly string[] = []): string =>
  summarize(
    403,
    'SignatureDoesNotMatch',
    { verdict: 'canonical-request', meaning: 'They differ.', differences, notes },
    [],
  )

/** Both sides of one line, as they are shown. */
const shown = (ours: string, theirs: string): string[] => {
  const [, , , left = '', right = ''] = summaryOf([difference(ours, theirs)]).split('\n')
  return [left.replace('  ours:   ', ''), right.replace('  theirs: ', '')]
}

test('a summary has the head, the lines, and all the notes', () => {
  const finding = {
    verdict: 'canonical-request',
    meaning: 'They differ.',
    differences: [difference('/a', '/b'), difference('', 'x', 'header x-a')],
    notes: ['One.', 'Two.'],
  } as const
  expect(summarize(403, 'SignatureDoesNotMatch', finding, ['Three.'])).toBe(
    `403 SignatureDoesNotMatch: They differ.

path
  ours:   /a
  theirs: /b
  It was changed.

header x-a
  ours:   (none)
  theirs: x
  It was changed.

One.
Two.
Three.`,
  )
})

test('a summary of nothing but the meaning is one line', () => {
  expect(summaryOf([])).toBe('403 SignatureDoesNotMatch: They differ.')
  const finding = { verdict: 'unknown', meaning: 'Why?', differences: [], notes: [] } as const
  expect(summarize(403, '', finding, [])).toBe('403: Why?')
  expect(summarize(403, 'x'.repeat(1000), finding, [])).toBe(`403 ${'x'.repeat(96)}: Why?`)
})

test('a dozen lines are shown, and the rest is counted', () => {
  const lines = Array.from({ length: 15 }, (_, index) => difference('a', 'b', `header ${index}`))
  expect(summaryOf(lines.slice(0, 12)).split('\n\n')).toHaveLength(13)
  const paragraphs = summaryOf(lines).split('\n\n')
  expect(paragraphs).toHaveLength(14)
  expect(paragraphs.at(-2)).toContain('header 11\n')
  expect(paragraphs.at(-1)).toBe('And 3 more.')
})

test('a line of up to 160 characters is shown whole, wherever it parts', () => {
  const start = 'a'.repeat(150)
  expect(shown(`${start}${'b'.repeat(10)}`, `${start}c`)).toEqual([
    `${start}${'b'.repeat(10)}`,
    `${start}c`,
  ])
})

test.each<[what: string, ours: string, theirs: string, left: string, right: string]>([
  [
    'that part late begin 40 characters before that',
    `${'a'.repeat(100)}b${'x'.repeat(200)}`,
    `${'a'.repeat(100)}c`,
    `…${'a'.repeat(40)}b${'x'.repeat(119)}…`,
    `…${'a'.repeat(40)}c`,
  ],
  [
    'that part early begin at the beginning',
    `b${'x'.repeat(159)}`,
    'c'.repeat(161),
    `b${'x'.repeat(159)}`,
    `${'c'.repeat(160)}…`,
  ],
  [
    'of which one goes on are shown to the end of the other',
    'a'.repeat(100),
    `${'a'.repeat(100)}${'b'.repeat(100)}`,
    `…${'a'.repeat(40)}`,
    `…${'a'.repeat(40)}${'b'.repeat(100)}`,
  ],
  [
    'that are one once their secrets are hidden are shown at their end',
    'a'.repeat(200),
    'a'.repeat(200),
    `…${'a'.repeat(40)}`,
    `…${'a'.repeat(40)}`,
  ],
])('longer lines %s', (_what, ours, theirs, left, right) => {
  expect(shown(ours, theirs)).toEqual([left, right])
})

test('neither the name of a line nor a hint fills the terminal', () => {
  const [, line, , , hint] = summaryOf([
    { ...difference('a', 'b', 'n'.repeat(1000)), hint: 'h'.repeat(2000) },
  ]).split(/\n+/)
  expect(line).toBe('n'.repeat(160))
  expect(hint).toBe(`  ${'h'.repeat(1000)}`)
})

test('nothing in a summary acts on a terminal', () => {
  const evil = 'a\u001b[31m\nb'
  const finding = { verdict: 'unknown', meaning: evil, differences: [], notes: [evil] } as const
  const text = String.raw`a\u{1b}[31m\u{a}b`
  expect(summarize(403, evil, finding, [evil])).toBe(`403 ${text}: ${text}\n\n${text}\n${text}`)
  expect(summaryOf([{ line: evil, ours: evil, theirs: evil, hint: evil }])).toContain(
    `\n\n${text}\n  ours:   ${text}\n  theirs: ${text}\n  ${text}`,
  )
})
