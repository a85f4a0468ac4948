import { join } from 'node:path'
import { expect, test } from 'vitest'
import { run } from '../../test-support/run-program.ts'

const own = join(import.meta.dirname, '..')

test('in a test of Bun a connection that the emulator drops rejects', async () => {
  const bun = join(own, 'node_modules/.bin/bun')
  const script = join(own, 'src/drop-connection.mjs')
  const { status, stderr } = await run(bun, ['test', '--conditions=@svc/source', script])
  expect(stderr).toContain(' 0 fail')
  expect(status).toBe(0)
})
