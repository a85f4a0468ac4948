import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const dist = join(import.meta.dirname, '../../packages/cli/dist')

test('the command is six files, and loads before it knows what is asked nothing but its parser', () => {
  // The others are loaded by the commands that need them.
  expect(readdirSync(dist)).toEqual([
    'aws-key.js',
    'cli.js',
    'proxy.js',
    'record.js',
    'session.js',
    'sign-in.js',
  ])
  const program = readFileSync(join(dist, 'cli.js'), 'utf8')
  const loaded = [...program.matchAll(/^import\b[^'"]*['"]([^'"]+)['"]/gm)].map(([, name]) => name)
  expect(loaded.filter((name) => !name?.startsWith('node:'))).toEqual(['commander'])
})
