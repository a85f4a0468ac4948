import { join } from 'node:path'
import { expect, test } from 'vitest'
import { bun, hasBun } from '../support/other-runtimes.ts'
import { run } from '../support/run-program.ts'

test.skipIf(!hasBun())(
  'in a test of Bun a connection that the emulator drops rejects',
  async () => {
    const script = join(import.meta.dirname, 'drop-connection.mjs')
    const { status, stderr } = await run(bun, ['test', '--conditions=@svc/source', script])
    expect(stderr).toContain(' 0 fail')
    expect(status).toBe(0)
  },
)
