import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { createProgress, formatBytes } from '../../testing.ts'

/** A progress of which only the lines are seen, at instants that a test sets. */
function watchProgress(columns = 80) {
  let now = 0
  const stderr = Object.assign(new PassThrough(), { isTTY: true, columns })
  const progress = createProgress({ stderr, clock: () => now })
  return {
    progress,
    at: (ms: number) => (now = ms),
    lines: () =>
      String(stderr.read() ?? '')
        .replaceAll('\u001B[K', '\r')
        .split('\r')
        .filter(Boolean),
  }
}

test('a transfer of less than a second shows nothing', () => {
  const { progress, at, lines } = watchProgress()
  progress.start('a.csv', 100)
  at(900)
  progress.add(100)
  progress.end()
  expect(lines()).toEqual([])
})

test('a longer one shows the name, the bytes and the share', () => {
  const { progress, at, lines } = watchProgress()
  progress.start('a.csv', 8 * 1024 * 1024)
  at(2000)
  progress.add(2 * 1024 * 1024)
  at(2050)
  progress.add(1)
  expect(lines()).toEqual(['a.csv  2.00 MiB of 8.00 MiB (25 %)'])
  at(8000)
  progress.add(6 * 1024 * 1024 - 1)
  progress.end()
  expect(lines()).toEqual([
    'a.csv  8.00 MiB of 8.00 MiB (100 %)',
    'a.csv  8.00 MiB of 8.00 MiB (100 %)',
    '\n',
  ])
})

test('a length that nobody knows is left out, and a line fits the terminal', () => {
  const { progress, at, lines } = watchProgress(24)
  progress.start('a\u001B[31m-name', undefined)
  at(3_700_000)
  progress.add(3_700_000)
  expect(lines()).toEqual([String.raw`a\u{1b}[31m-name  3.53 `])
})

test.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1024, '1.00 KiB'],
  [1_500_000_000, '1.40 GiB'],
  [15 * 1024 ** 4, '15.0 TiB'],
])('%d bytes are %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text)
})
