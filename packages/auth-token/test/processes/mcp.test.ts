import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { bundleProgram } from '../../../../tests/support/bundle-program.ts'
import { measure } from '../mcp/support/measure.ts'

const source = fileURLToPath(new URL('../fixtures/mcp-process.ts', import.meta.url))
const program = await bundleProgram(source)

describe.each(['1', '2'] as const)('version %s', (version) => {
  test.each(['own', 'authMcp'] as const)('%s', async (role) => {
    const one = await measure(program, version, role, { processes: 1, rounds: 1, calls: 10 })
    console.log(version, role, JSON.stringify(one))
    const five = await measure(program, version, role, { processes: 5, rounds: 3, calls: 10 })
    console.log(version, role, JSON.stringify(five))
    expect(one.calls).toBe(10)
  })
})
