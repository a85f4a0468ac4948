import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { choiceSection } from '../src/choose/section.ts'
import { readBenchCommand } from '../src/command.ts'
import { readEnvironment } from '../src/environment.ts'
import { barsOf } from '../src/report/bars.ts'
import { duration, kilobytes } from '../src/report/figures.ts'
import { writeResults } from '../src/write-results.ts'

const start = {
  costs: [
    {
      name: 'aws4fetch',
      imports: { aws4fetch: ['AwsClient'] },
      platform: 'browser',
      bytes: 2947,
      weights: [],
    },
  ],
  imports: {},
  functions: {},
  disk: {},
} as const
const requests = [
  {
    name: 'authFetch, signature',
    role: 'ours',
    client: 'fetch',
    credential: 'signature',
    rounds: [{ requestsPerSecond: 9893, cpuPerRequestUs: 100 }],
  },
] as const

test('the page and the bytes go into git, and the figures behind them do not', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'write-results-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const folders = { page: join(folder, 'page'), data: join(folder, 'data') }
  const page = await writeResults(folders, {
    environment: await readEnvironment(),
    effort: readBenchCommand(['--quick']).effort,
    elapsedMs: 245_000,
    results: { start },
    sections: [{ title: 'A topic', markdown: 'A table' }],
  })

  expect(page).toMatch(/^# Speed, memory and size\n\n\*\*Bytes in a bundle\*\*/)
  expect(page).toMatch(
    /\n## A topic\n\nA table\n\n## How it was measured\n\n.*\(quick, 4 min 5 s\)/,
  )
  expect(await readFile(join(folders.page, 'README.md'), 'utf8')).toBe(page)
  expect((await readdir(folders.page)).toSorted()).toEqual(['README.md', 'bytes.svg', 'sizes.json'])
  expect(JSON.parse(await readFile(join(folders.page, 'sizes.json'), 'utf8'))).toEqual([
    {
      name: 'aws4fetch',
      imports: { aws4fetch: ['AwsClient'] },
      platform: 'browser',
      bytes: 2947,
    },
  ])
  expect(await readdir(folders.data)).toEqual(['results.json'])
})

describe('the head of a page', () => {
  test('has no sentence, plot or row about what was not measured', () => {
    expect(choiceSection({})).toEqual({ markdown: '', plots: {} })
    const { markdown, plots } = choiceSection({ requests })
    expect(markdown).toMatch(/^\*\*Speed\*\*, .* Signed requests: svc-auth 9,893\./)
    expect(markdown).not.toMatch(/Bytes|targets/)
    expect(markdown).not.toContain('aws4fetch')
    expect(Object.keys(plots)).toEqual(['requests'])
  })

  test('in git has the bytes of the file beside it', async () => {
    const read = (name: string): Promise<string> =>
      readFile(join(import.meta.dirname, '../results', name), 'utf8')
    const page = await read('README.md')
    // The program above wrote it.
    const sizes = JSON.parse(await read('sizes.json')) as { name: string; bytes: number }[]
    const bytesOf = (name: string): number => sizes.find((each) => each.name === name)?.bytes ?? 0
    const [head = ''] = page.split('\n## ')
    expect(head).toContain(`svc-auth ${kilobytes(bytesOf('sigv4 + authFetch'))}`)
    expect(head).toContain(`aws4fetch ${kilobytes(bytesOf('aws4fetch'))}`)
    expect(page.lastIndexOf('\n## ')).toBe(page.indexOf('\n## Targets'))
  })
})

test('a plot fits a phone: no text leaves it, and no bar is longer than it', () => {
  const name = 'a library with a name of 33 chars'
  const bars = [{ name, value: 200, shown: '1,234,567', isOurs: false }]
  const svg = barsOf('Requests a second: more is better', [{ title: 'Signed', bars }])
  const [, width] = /<svg [^>]*width="(\d+)"/.exec(svg) ?? []
  expect(Number(width)).toBeLessThanOrEqual(390)
  expect(Number(/<rect x="12"[^>]* width="([\d.]+)"/.exec(svg)?.[1])).toBe(336)
  // A character of this font is at most 0.6 of its size on average.
  expect((name.length + '1,234,567'.length) * 12 * 0.6).toBeLessThan(336)
})

test('a duration is told in minutes and seconds', () => {
  expect([duration(59_400), duration(60_000), duration(479_600)]).toEqual([
    '59 s',
    '1 min 0 s',
    '8 min 0 s',
  ])
})
