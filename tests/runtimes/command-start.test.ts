import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const dist = join(import.meta.dirname, '../../packages/cli/dist')

test('the command is one file, and loads before it knows what is asked nothing but its parser', () => {
  expect(readdirSync(dist)).toEqual(['cli.js'])
  const program = readFileSync(join(dist, 'cli.js'), 'utf8')
  const loaded = [...program.matchAll(/^import\b[^'"]*['"]([^'"]+)['"]/gm)].map(([, name]) => name)
  expect(loaded.filter((name) => !name?.startsWith('node:'))).toEqual(['commander'])
})
