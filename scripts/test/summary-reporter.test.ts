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
