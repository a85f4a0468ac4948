import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { bundleProgram } from '../../../../tests/support/bundle-program.ts'
import { atNight } from '../../../../tests/support/nightly.ts'
import { type Measured, measure, sdkNames } from '../mcp/support/measure.ts'

const source = fileURLToPath(new URL('../fixtures/mcp-process.ts', import.meta.url))
const program = await bundleProgram(source)

const oneProcess = { processes: 1, calls: 10, rounds: 1 }
const fiveProcesses = { processes: 5, calls: 10, rounds: 1 }
const threeRounds = { ...fiveProcesses, rounds: 3 }

/** Prints a row of the table in docs/guides/mcp.md. */
function report(name: string, { processes }: { processes: number }, measured: Measured): void {
  const { calls, succeeded, prompts, tokenRequests, revoked } = measured
  const cells = [name, processes, `${succeeded} of ${calls}`, prompts, tokenRequests, revoked]
  console.info(`| ${cells.join(' | ')} |`)
}

describe.each(['1', '2'] as const)('programs with version %s of the MCP SDK', (version) => {
  const name = sdkNames[version]

  test.each([oneProcess, fiveProcesses])(
    'lose their sign-in by its own OAuth once their token ends: $processes at once',
    async (shape) => {
      const measured = await measure(program, version, 'own', shape)
      report(name, shape, measured)
      expect(measured.revoked).toBe(1)
      // The one whose refresh was the first may be faster than the next one.
      expect(measured.succeeded).toBeLessThanOrEqual(shape.processes)
      // Some calls of version 1 fail without one, after another call's.
      expect(measured.prompts).toBeGreaterThanOrEqual(measured.calls / 2)
    },
  )

  // The second is the beginning of the third.
  test.each(atNight([oneProcess, fiveProcesses, threeRounds], [oneProcess, threeRounds]))(
    'keep it by authMcp: $processes at once, through $rounds tokens',
    async (shape) => {
      const measured = await measure(program, version, 'authMcp', shape)
      report(`${name} with authMcp`, shape, measured)
      const calls = shape.processes * shape.calls * shape.rounds
      const succeeded = { calls, succeeded: calls, revoked: 0, prompts: 0 }
      // One before the first round, and one for each.
      expect(measured).toMatchObject({ ...succeeded, tokenRequests: shape.rounds + 1 })
    },
  )
})
