import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { bundleProgram } from '../../../../tests/support/bundle-program.ts'
import { measure } from '../mcp/support/measure.ts'

const source = fileURLToPath(new URL('../fixtures/mcp-process.ts', import.meta.url))
const program = await bundleProgram(source)

const show = (version: string, role: string, { outcomes, ...rest }: any) => {
  const counts: Record<string, number> = {}
  for (const one of outcomes) counts[one] = (counts[one] ?? 0) + 1
  console.log(version, role, JSON.stringify(rest), JSON.stringify(counts), outcomes.slice(0, 50).filter((one: string) => one === 'ok').length)
}
describe.each(['1', '2'] as const)('version %s', (version) => {
  test.each(['own', 'authMcp'] as const)('%s', async (role) => {
    const one = await measure(program, version, role, { processes: 1, rounds: 1, calls: 10 })
    show(version, role, one)
    const five = await measure(program, version, role, { processes: 5, rounds: 3, calls: 10 })
    show(version, role, five)
    expect(one.calls).toBe(10)
  })
})
