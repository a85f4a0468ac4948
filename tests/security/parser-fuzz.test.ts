import { afterAll, expect, test } from 'vitest'
import { parsers } from './fuzz/parsers.ts'
import { openRunner } from './fuzz/run-in-worker.ts'

// FUZZ_MS is for all parsers together. FUZZ_SEED replays a seed that was printed.
const totalMs = Number(process.env['FUZZ_MS'] ?? 5000)
const given = process.env['FUZZ_SEED']
const seeds = given ? [Number(given)] : [20261121, Math.floor(Math.random() * 2 ** 31)]
const durationMs = totalMs / parsers.length
console.log(`fuzzing with FUZZ_SEED=${seeds.join(' and FUZZ_SEED=')}, ${totalMs} ms`)

const runner = openRunner()
afterAll(() => runner.close())

test.each(parsers.map(({ name }) => name))(
  '%s is read without a crash or a hang, whatever it is',
  async (parser) => {
    const how = { kind: 'fuzz', seeds, durationMs } as const
    const { failure, runs } = await runner.run({ parser, how })
    expect(failure).toBeUndefined()
    expect(runs).toBeGreaterThan(0)
  },
  durationMs + 60_000,
)
