import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { run } from '../../../../tests/support/run-program.ts'

test('a process ends when its work is done', { timeout: 10_000 }, async () => {
  const script = fileURLToPath(new URL('../fixtures/one-shot.ts', import.meta.url))
  const { stdout, stderr } = await run(process.execPath, ['--conditions=@svc/source', script])
  expect(stderr).toBe('')
  expect(stdout).toBe('200\n200\n200\nERR_AUTH_LOGIN_REFUSED\n')
})
