import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { hasProgram } from '../support/needs.ts'
import { run } from '../support/run-program.ts'
import { nodes } from './battery/each-node.ts'

const script = join(import.meta.dirname, 'global-dispatcher/send.mjs')
const present = Object.entries(nodes).filter(([name, node]) =>
  hasProgram(name, [node, '--version'], 'an install on Linux with x64'),
)
const cases = present.flatMap(([name, node]) =>
  // undici 8 is for Node 22.19 and later.
  (name === 'Node 20' ? ['undici7'] : ['undici7', 'undici']).map((undici) => ({
    name,
    node,
    undici,
  })),
)

describe.concurrent('the global dispatcher', () => {
  // The login goes through it too, and must not wait for itself.
  test.each(cases)('authenticates the fetch of $name, by $undici', async ({ node, undici }) => {
    expect(await send(node, undici, 'a new Agent')).toEqual(worked)
  })

  test('that is there already is composed as well, if it is of undici 7 or 8', async () => {
    expect(await send(process.execPath, 'undici', 'the global one')).toEqual(worked)
  })

  test.skipIf(!present.some(([name]) => name === 'Node 22'))(
    'that is built into Node 22 is said to be too old',
    async () => {
      const { causes } = await send(nodes['Node 22'] ?? '', 'undici7', 'the global one')
      expect(causes).toContainEqual(
        '[@svc/auth-hooks] authInterceptor: it works with undici 7 and 8, and this dispatcher is of an ' +
          "older one, perhaps of the one in Node; compose an Agent of undici's package",
      )
    },
  )
})

const worked = { statuses: [401, 200, 200, 200, 200], logins: 2, causes: [] }

interface Sent {
  readonly statuses: readonly number[]
  readonly logins: number
  /** The message of the error, and of all that led to it. */
  readonly causes: readonly string[]
}

async function send(node: string, undici: string, composed: string): Promise<Sent> {
  const { stdout, stderr } = await run(node, [script, undici, composed])
  expect(stderr).toBe('')
  // The script wrote it.
  return JSON.parse(stdout) as Sent
}
