import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { SizeLimit } from '../../scripts/size/check-sizes.ts'

const root = join(import.meta.dirname, '../..')
const readme = read('README.md')

test('the README says how often 10 000 callers and 10 wrong passwords log in, as the battery found', () => {
  const outcomeOf = (fault: string): string =>
    rowsBetween('battery').find(([first = '']) => first.startsWith(fault))?.[1] ?? ''
  expect(outcomeOf('10 000 callers')).toMatch(/^1 login, /)
  expect(outcomeOf('10 calls in succession with credentials')).toMatch(/^1 login, /)
  expect(readme).toMatch(/10 000 callers[^.]*cause 1 login; so do 10 calls\s+with a wrong password/)
})

test('the README says how many unusual requests each library signs, as the table of pitfalls has it', () => {
  const rows = rowsBetween('pitfalls')
  const accepted = [1, 2, 3, 4].map((n) => rows.filter((row) => row[n] === 'accepted').length)
  const [ours, aws4, aws4fetch, smithy] = accepted
  expect(readme.replaceAll(/\s+/g, ' ')).toContain(
    `signs ${ours} of ${rows.length} unusual paths, queries and headers as S3's documents say; ` +
      `aws4 ${aws4}, aws4fetch ${aws4fetch}, smithy ${smithy} `,
  )
})

test('the README says how many clients and runtimes there are, as the table of them has it', () => {
  const [, table = ''] = read('docs/compatibility.md').split(/<!-- \/?matrix:client-runtimes -->/)
  const [head = '', , ...rows] = table.trim().split('\n')
  // The first column names the client, and the last one the adapter.
  const runtimes = head.split('|').length - 4
  expect(readme).toContain(`works with ${rows.length} clients in ${runtimes} runtimes`)
})

describe('the bytes in the README', () => {
  // Files of this very repository.
  const limits = JSON.parse(read('scripts/size/limits.json')) as SizeLimit[]

  test.each([
    ['signature, light `fetch`', 'a signature with the light authFetch'],
    ['token, full `fetch`', 'a token with authFetch'],
  ])('of a %s are within their limit, and at most 6 %% below it', (row, name) => {
    const { limitBytes = 0 } = limits.find((limit) => limit.name === name) ?? {}
    const bytes = kilobytesOf(`**svc-auth**: ${row}`) * 1000
    expect(bytes).toBeLessThanOrEqual(limitBytes)
    expect(bytes).toBeGreaterThan(limitBytes * 0.94)
  })

  // Those of other libraries are measured by the benchmark.
  const measured = JSON.parse(read('benchmarks/results/sizes.json')) as readonly {
    readonly name: string
    readonly bytes: number
  }[]

  test.each([
    ['aws4fetch', 'aws4fetch'],
    ['aws4', 'aws4, signs only'],
    ['axios-auth-refresh, beside axios', 'axios-auth-refresh, axios not counted'],
    ['simple-oauth2', 'simple-oauth2, gets tokens only'],
    ['openid-client', 'openid-client'],
  ])('of %s are those of the benchmark', (row, name) => {
    const { bytes = Number.NaN } = measured.find((size) => size.name === name) ?? {}
    expect(kilobytesOf(row)).toBe(Math.round(bytes / 100) / 10)
  })
})

test.each([
  ['size', `min+gzip: from ${kilobytesOf('**svc-auth**: signature, light `fetch`')} kB`],
  ['dependencies', 'dependencies: 0'],
  ['runtimes', 'tested on: Node · Bun · Deno · Workers · browsers · React Native'],
])('the badge %s says what is so', (name, text) => {
  expect(read(`docs/images/${name}.svg`)).toContain(`aria-label="${text}"`)
})

function kilobytesOf(library: string): number {
  const row = readme.split('\n').find((line) => line.startsWith(`| ${library} `)) ?? ''
  return Number(row.split('|').at(-2))
}

/** The rows of a table that a command writes between two marks, in whatever document it is. */
function rowsBetween(mark: 'battery' | 'pitfalls'): readonly (readonly string[])[] {
  const name = mark === 'battery' ? 'several-processes' : 'signing'
  const [, table = ''] = read(`docs/guides/${name}.md`).split(new RegExp(`<!-- /?${mark}.*-->`))
  const lines = table.trim().split('\n').slice(2)
  return lines.map((line) =>
    line
      .split('|')
      .slice(1)
      .map((cell) => cell.trim()),
  )
}

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}
