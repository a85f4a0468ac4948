import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isNightly } from '../support/nightly.ts'
import { codeOf, isOfTheNight, page, topics, writePage } from './page.ts'

const tests = join(import.meta.dirname, '..')
const rows = topics.flatMap(({ neighbours }) => neighbours)

const written = readFileSync(join(tests, '..', page), 'utf8')

test(`${page} is as the command writes it`, () => {
  expect(written === writePage(), 'pnpm matrix:neighbours').toBe(true)
})

test('every row has a test and code that it runs', () => {
  expect(rows.filter(({ test: path }) => !existsSync(join(tests, path)))).toEqual([])
  expect(rows.filter((row) => codeOf(row).trim() === '')).toEqual([])
})

test('every test of the nights stands on the page', () => {
  const files = globSync('neighbours/*.test.ts', { cwd: tests })
  expect(files.length).toBeGreaterThan(5)
  expect(files.filter((path) => !written.includes(`(../tests/${path})`))).toEqual([])
})

const isInstalled = existsSync(join(tests, 'neighbours/node_modules'))
const howToGet = 'pnpm run neighbours'
if (!isInstalled)
  console.warn(`left out: the neighbours, which are tried every night; get them with: ${howToGet}`)

test.skipIf(!isInstalled && !isNightly)('the neighbours of the nights are installed', () => {
  expect(isInstalled, `get them with: ${howToGet}`).toBe(true)
  expect(rows.filter(isOfTheNight).length).toBeGreaterThan(0)
})
