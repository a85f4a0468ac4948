import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

const source = join(import.meta.dirname, '../../src')

/** Reads which modules of the package one of them imports at run time, and these in turn. */
function importsOf(file: string, found = new Set<string>()): Set<string> {
  const code = readFileSync(join(source, file), 'utf8')
  expect(code).not.toMatch(/\bimport\(/)
  for (const [, from = ''] of code.matchAll(
    /^(?:import|export) (?!type)(?:[^;']*? from )?'([^']+)'/gm,
  )) {
    const name = from.startsWith('.') ? join(dirname(file), from) : from
    if (found.has(name)) continue
    found.add(name)
    if (from.startsWith('.')) importsOf(name, found)
  }
  return found
}

test('nobody who uses no store loads the code of stores, or of what they share', () => {
  const names = [...importsOf('index.ts')]
  expect(names).toEqual(
    expect.arrayContaining(['session/session.ts', 'session/back-off.ts', 'login/login.ts']),
  )
  expect(names.filter((name) => /^(?:sharing|stores)\//.test(name))).toEqual([])
})

test.each([
  'stores/memory.ts',
  'stores/redis.ts',
  'stores/secure.ts',
  'stores/browser/browser-store.ts',
  'stores/file/file-store.ts',
])('a store brings the code along that shares a token: %s', (file) => {
  const names = [...importsOf(file)]
  expect(names).toEqual(expect.arrayContaining(['sharing/sharing.ts', 'sharing/sealed-record.ts']))
  expect(names).not.toContain('session/session.ts')
})

test('the checks of a store load nothing', () => {
  expect([...importsOf('stores/conformance.ts')]).toEqual([])
})
