import { join } from 'node:path'
import { expect, test } from 'vitest'
import { run } from '../support/run-program.ts'

test('node:test runs with the emulator, and its process ends by itself', async () => {
  const file = join(import.meta.dirname, 'node-test.mjs')
  const args = ['--conditions=@svc/source', '--test', '--test-reporter=tap', file]
  const { status, stdout } = await run(process.execPath, args)
  expect(stdout).toContain('# pass 3')
  expect(status).toBe(0)
})
