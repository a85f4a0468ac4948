import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

const source = join(import.meta.dirname, '../../src')

/** All that a module of the package imports at run time, and what that imports. */
function importsOf(file: string, found = new Set<string>()): Set<string> {
  const code = readFileSync(join(source, file), 'utf8')
  for (const [, from = ''] of code.matchAll(/^(?:import|export) (?!type)[^;]*? from '([^']+)'/gm)) {
    const name = from.startsWith('.') ? join(dirname(file), from) : from
    if (found.has(name)) continue
    found.add(name)
    if (from.startsWith('.')) importsOf(name, found)
  }
  return found
}

test('nobody who does not ask for a diagnosis has its code', () => {
  const names = [...importsOf('index.ts')]
  expect(names).toContain('sigv4-signer.ts')
  expect(names.filter((name) => name.startsWith('diagnose'))).toEqual([])
})

test('a diagnosis runs everywhere, and needs neither engine nor kernel', () => {
  const names = [...importsOf('diagnose.ts')]
  expect(names).toContain('diagnose/error-xml.ts')
  expect(names.filter((name) => !name.startsWith('diagnose/')).sort()).toEqual([
    'canonical-query.ts',
    'percent-encoding.ts',
    'sort.ts',
  ])
})
