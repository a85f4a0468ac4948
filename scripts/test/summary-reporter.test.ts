import { fileURLToPath } from 'node:url'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { run } from '../../tests/support/run-program.ts'
import { repository } from '../release/repository.ts'

test.each([
  ['a hook that fails', 'hook', '0 passed, 1 failed, 1 skipped'],
  ['a rejection that nobody handles', 'rejection', '1 passed, 1 failed, 0 skipped'],
])('the last line counts %s', async (_name, file, summary) => {
  const root = fileURLToPath(new URL('fixtures', import.meta.url))
  const vitest = join(repository, 'node_modules/vitest/vitest.mjs')
  const { status, stdout } = await run(process.execPath, [vitest, 'run', '--root', root, file])
  expect(stdout.trimEnd().split('\n').at(-1)).toBe(summary)
  expect(status).toBe(1)
})

test('a test that failed at first is named before it', async () => {
  const root = fileURLToPath(new URL('fixtures', import.meta.url))
  const vitest = join(repository, 'node_modules/vitest/vitest.mjs')
  const { stdout } = await run(process.execPath, [vitest, 'run', '--root', root, 'retried'])
  expect(stdout.trimEnd().split('\n').slice(-2)).toEqual([
    'passed at the second attempt: retried.failing.ts: a busy machine',
    '1 passed, 0 failed, 0 skipped',
  ])
})

test('the reasons of skipped tests stand together before it', async () => {
  const root = fileURLToPath(new URL('fixtures', import.meta.url))
  const vitest = join(repository, 'node_modules/vitest/vitest.mjs')
  const args = [vitest, 'run', '--root', root, 'skipped']
  const { stdout } = await run(process.execPath, args, '', { REQUIRE_SERVICES: undefined })
  expect(stdout.trimEnd().split('\n').slice(-3)).toEqual([
    'skipped 2: a program of the test is missing; get it with: apt-get install it',
    'skipped 1: there is no moon tonight',
    '0 passed, 0 failed, 3 skipped',
  ])
})
