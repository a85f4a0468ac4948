import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { page, writePage } from './page.ts'

test(`${page} is as the command writes it`, () => {
  const written = readFileSync(join(import.meta.dirname, '../..', page), 'utf8')
  expect(written === writePage(), 'pnpm matrix:differences').toBe(true)
})
