import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { isNightly } from '../../../../tests/support/nightly.ts'
import { run } from '../../../../tests/support/run-program.ts'

// Before Node 24, fetch leaves a listener on each signal until that is collected, and warns of it.
const leavesListeners = Number.parseInt(process.versions.node) < 24
const requests = 100_000
const isRun = isNightly && !leavesListeners
test.runIf(isRun)(
  `${requests} requests leave nothing on the heap`,
  { timeout: 240_000 },
  async () => {
    const script = fileURLToPath(new URL('../fixtures/heap-growth.ts', import.meta.url))
    const flags = ['--expose-gc', '--conditions=@svc/source']
    const { stdout, stderr } = await run(process.execPath, [...flags, script, `${requests}`])
    expect(stderr).toBe('')
    const { before, after, logins } = JSON.parse(stdout)
    expect(logins).toBeGreaterThan(requests / 500)
    // One object that is kept for each request would be as many.
    expect(after.nodes - before.nodes).toBeLessThan(requests / 10)
    expect(after.bytes - before.bytes).toBeLessThan(500_000)
  },
)
