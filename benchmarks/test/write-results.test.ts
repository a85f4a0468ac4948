import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readBenchCommand } from '../src/command.ts'
import { readEnvironment } from '../src/environment.ts'
import { summaryOf } from '../src/report/summary.ts'
import { writeResults } from '../src/write-results.ts'

test('the page goes into git, and the figures behind it do not', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'write-results-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const folders = { page: join(folder, 'page'), data: join(folder, 'data') }
  const { effort } = readBenchCommand(['--quick'])
  const sections = [{ title: 'A topic', markdown: 'A table' }]
  const page = await writeResults(folders, await readEnvironment(), effort, {}, sections)

  expect(page).toMatch(/\n## A topic\n\nA table\n\n## How it was measured\n/)
  expect(await readFile(join(folders.page, 'README.md'), 'utf8')).toBe(page)
  expect(await readdir(folders.page)).toEqual(['README.md'])
  expect(await readdir(folders.data)).toEqual(['results.json'])
  // It would lead nowhere.
  expect(page).not.toContain('](results.json)')
})

test('the page in git begins with the summary of its own figures', async () => {
  const page = await readFile(join(import.meta.dirname, '../results/README.md'), 'utf8')
  const summary = summaryOf(page)
  expect(page).toContain(`# Speed, memory and size\n\n${summary}\n\n`)
  expect(summary.match(/^\*\*|^Of the \d+ \[targets]/gm)).toHaveLength(4)
})

test('a summary has no sentence about what was not measured', () => {
  const rows = '| authFetch, signature | 9,893 | 0.830 |\n| aws4fetch | 4,309 | 0.348 |'
  const summary = summaryOf(`\n## Whole requests over loopback\n\n${rows}\n`)
  expect(summary).toMatch(/^\*\*To send it\*\* .* 9,893 .*, 83 % .* 4,309, 35 %\.$/)
})
