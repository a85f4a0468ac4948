import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { run } from '../../../test-support/run-program.ts'

test('100 000 requests leave nothing on the heap', { timeout: 120_000 }, async () => {
  const script = fileURLToPath(new URL('fixtures/heap-growth.ts', import.meta.url))
  const flags = ['--expose-gc', '--conditions=@svc/source']
  const { stdout, stderr } = await run(process.execPath, [...flags, script])
  expect(stderr).toBe('')
  const { before, after, logins } = JSON.parse(stdout)
  expect(logins).toBeGreaterThan(200)
  // One object kept for each request would be 100 000.
  expect(after.nodes - before.nodes).toBeLessThan(10_000)
  expect(after.bytes - before.bytes).toBeLessThan(500_000)
})
