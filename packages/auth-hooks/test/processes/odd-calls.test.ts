import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { run } from '../../../../tests/support/run-program.ts'

const program = fileURLToPath(new URL('../fixtures/odd-calls.ts', import.meta.url))

// One after the other: each is a process that is busy for a few seconds.
test.each([
  'axios over http',
  'axios over fetch',
  'axios 1.7 over http',
  'axios 1.7 over fetch',
  'got 16',
  'got 15',
  'got 14',
])(
  'odd input of %s settles every call, ends no process and leaves nothing open',
  { timeout: 120_000 },
  async (client) => {
    const flags = ['--conditions=@svc/source', '--no-warnings']
    const { status, stdout, stderr } = await run(process.execPath, [...flags, program, client])
    expect(`${stdout}${stderr}`).toBe('{"findings":[],"unauthenticated":[]}\n')
    expect(status).toBe(0)
  },
)
