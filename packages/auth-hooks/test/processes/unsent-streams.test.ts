import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { run } from '../../../../tests/support/run-program.ts'
import { adapters } from '../support/adapters.ts'
import { serve } from '../support/server.ts'

test('a stream that is not sent is ended, and its failure ends no process', async () => {
  const server = await serve()
  const script = fileURLToPath(new URL('../fixtures/unsent-streams.ts', import.meta.url))
  const { stdout, stderr } = await run(process.execPath, [
    '--conditions=@svc/source',
    '--disable-warning=ExperimentalWarning',
    script,
    server.origin,
  ])
  const lines = stdout.trim().split('\n')
  expect([lines.at(-1), stderr]).toEqual(['alive', ''])
  expect(lines.slice(0, -1).filter((line) => !line.endsWith(': rejected, nothing open'))).toEqual(
    [],
  )
  expect(lines).toHaveLength(adapters.length * 7 + 1)
})
