import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

const packages = join(import.meta.dirname, '../../..')
const kit = 'auth-hooks/src/scheme.ts'

/** The file of each import that is followed into another package. */
const followed: Readonly<Record<string, string>> = { '@svc/auth-hooks/scheme': kit }

/** Lists all that a module imports at run time, and what that imports. */
function importsOf(file: string, found = new Set<string>()): Set<string> {
  const code = readFileSync(join(packages, file), 'utf8')
  for (const [, from = ''] of code.matchAll(
    /^(?:import|export) (?!type)[^;:=()]*? from '([^']+)'/gm,
  )) {
    const name = from.startsWith('.') ? join(dirname(file), from) : (followed[from] ?? from)
    if (found.has(name)) continue
    found.add(name)
    if (name.endsWith('.ts')) importsOf(name, found)
  }
  return found
}

const doors = ['diagnose/diagnose.ts', 'explain.ts', 'presign.ts', 'streaming/streaming.ts']

test('nobody who does not ask for a diagnosis has its code', () => {
  const names = [...importsOf('auth-sigv4/src/index.ts')]
  expect(names).toContain('auth-sigv4/src/signer.ts')
  expect(names.filter((name) => name.includes('/diagnose/'))).toEqual([])
})

test('nobody who only signs has the code of another door', () => {
  const names = [...importsOf('auth-sigv4/src/index.ts')]
  expect(doors.filter((door) => names.includes(`auth-sigv4/src/${door}`))).toEqual([])
  expect(names).not.toContain('auth-sigv4/src/explanation.ts')
})

test('no door hides an import', () => {
  for (const door of ['index.ts', ...doors]) {
    for (const name of [`auth-sigv4/src/${door}`, ...importsOf(`auth-sigv4/src/${door}`)]) {
      if (!name.startsWith('auth-sigv4/')) continue
      expect(readFileSync(join(packages, name), 'utf8')).not.toMatch(/\bimport\(/)
    }
  }
})

test('a diagnosis runs everywhere, and needs no engine', () => {
  const names = [...importsOf('auth-sigv4/src/diagnose/diagnose.ts')]
  expect(names).toContain('auth-sigv4/src/diagnose/server-evidence.ts')
  const others = names.filter((name) => !name.startsWith('auth-sigv4/src/diagnose/'))
  const isKit = (name: string) => name === kit || name.startsWith('auth-hooks/src/kit/')
  expect(others.filter((name) => !isKit(name)).sort()).toEqual([
    // By a condition for Node, and nothing elsewhere.
    '#platform',
    '@svc/auth-hooks',
    '@svc/auth-hooks/read-request',
    'auth-sigv4/src/canonical-query.ts',
    'auth-sigv4/src/canonical-request.ts',
    'auth-sigv4/src/carried-signer.ts',
    'auth-sigv4/src/explanation.ts',
    'auth-sigv4/src/read-headers.ts',
    'auth-sigv4/src/request-error.ts',
  ])
})
