import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const root = new URL('../../', import.meta.url)
const policy = readFileSync(new URL('SECURITY.md', root), 'utf8')
const [, protectedPart = ''] = policy.split('## What is protected\n')
const claims = (protectedPart.split('## What is not protected')[0] ?? '')
  .split('\n')
  .filter((line) => line.startsWith('- '))

/** The files that a text links to. */
function links(text: string): string[] {
  return [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, path = '']) => path)
}

test('SECURITY.md makes claims', () => {
  expect(claims.length).toBeGreaterThan(20)
})

test.each(claims)('%s', (claim) => {
  // That the file says what the claim says, its reader has to see.
  expect(links(claim)).not.toEqual([])
  expect(links(claim).filter((path) => !/^[\w-]+(?:\/[\w.-]+)*\.test\.ts$/.test(path))).toEqual([])
})

test('every file that SECURITY.md names is there', () => {
  expect(links(policy).filter((path) => !existsSync(new URL(path, root)))).toEqual([])
})

test('every file of the security tests is named by SECURITY.md', () => {
  const own = readdirSync(new URL('tests/security', root)).filter(
    (name) => name.endsWith('.test.ts') && name !== 'security-policy.test.ts',
  )
  const named = links(policy)
  expect(own.filter((name) => !named.includes(`tests/security/${name}`))).toEqual([])
})
