import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readBenchCommand } from '../src/command.ts'
import { readEnvironment } from '../src/environment.ts'
import { writeResults } from '../src/write-results.ts'

test('the page goes into git, and the figures behind it do not', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'write-results-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const folders = { page: join(folder, 'page'), data: join(folder, 'data') }
  const { effort } = readBenchCommand(['--quick'])
  const sections = [{ title: 'A topic', markdown: 'A table' }]
  const page = await writeResults(folders, await readEnvironment(), effort, {}, sections)

  expect(page).toMatch(/\n## A topic\n\nA table\n$/)
  expect(await readFile(join(folders.page, 'README.md'), 'utf8')).toBe(page)
  expect(await readdir(folders.page)).toEqual(['README.md'])
  expect(await readdir(folders.data)).toEqual(['results.json'])
  // It would lead nowhere.
  expect(page).not.toContain('](results.json)')
})
