import { join } from 'node:path'
import { expect, test } from 'vitest'
import { hasProgram } from '../support/needs.ts'
import { bun, deno, denoRun, hasBun, hasDeno } from '../support/other-runtimes.ts'
import { run } from '../support/run-program.ts'
import { nodes } from './battery/each-node.ts'

const script = join(import.meta.dirname, 'traces/two-callers.mjs')
const programs: readonly (readonly [name: string, program: string, args: readonly string[]])[] = [
  ...Object.entries(nodes)
    .filter(([name, node]) => hasProgram(name, [node, '--version'], 'an install on Linux with x64'))
    .map(([name, node]) => [name, node, [script]] as const),
  ...(hasBun() ? [['Bun', bun, [script]] as const] : []),
  ...(hasDeno() ? [['Deno', deno, [...denoRun, '--allow-all', script]] as const] : []),
]

// Each has tracing channels of its own: Bun tells less of them, and the stores of Node 26 are others.
test.each(programs)('spans of two callers and their login on %s', async (_, program, args) => {
  const { stdout, stderr } = await run(program, args)
  expect(stderr).toBe('')
  const [first, login, second] = ['1 svc_auth.request', '2 svc_auth.login', '3 svc_auth.request']
  expect(JSON.parse(stdout)).toEqual({
    written: [
      { id: login, under: first, links: [] },
      { id: first, links: [] },
      { id: second, links: [login] },
    ],
    sent: [login, first, second, undefined].map((id) => id ?? null),
    isHeard: false,
  })
})
