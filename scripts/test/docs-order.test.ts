import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { byImportance, byPackage } from '../docs/order.ts'

const api = join(import.meta.dirname, '../../docs/api')
const read = (path: string): string => readFileSync(join(api, path), 'utf8')

test('packages come as readers need them, and one that is not listed comes last', () => {
  const names = ['api/types', 'packages/cli', '@svc/auth-token/oauth2', 'api/service-auth']
  expect(byPackage(names, (name) => name)).toEqual([
    'api/service-auth',
    '@svc/auth-token/oauth2',
    'api/types',
    'packages/cli',
  ])
})

test('what a reader begins with comes before the rest, which keeps its order', () => {
  const exported = ['tokenLifetime', 'forgetSessions', 'createTokenAuth'].map((name) => ({ name }))
  expect(byImportance(exported).map(({ name }) => name)).toEqual([
    'createTokenAuth',
    'tokenLifetime',
    'forgetSessions',
  ])
})

test.each([
  ['README.md', /^\| \[`(.*?)`\]/m, '@svc/service-auth'],
  ['service-auth.md', /^### (.*)/m, 'createServiceAuth()'],
  ['auth-token.md', /^### (.*)/m, 'createTokenAuth()'],
  ['emulator.md', /^### (.*)/m, 'createEmulator()'],
])('the page %s begins with the most important', (path, pattern, first) => {
  expect(pattern.exec(read(path))?.[1]).toBe(first)
})
