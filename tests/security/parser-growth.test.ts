import { afterAll, expect, test } from 'vitest'
import { atNight } from '../support/nightly.ts'
import { parsers } from './fuzz/parsers.ts'
import { openRunner } from './fuzz/run-in-worker.ts'

const length = atNight(96, 16) * 1024

const runner = openRunner()
afterAll(() => runner.close())

test.each(parsers.map(({ name }) => name))(
  '%s is read in time that grows with its length',
  async (parser) => {
    const { failure, runs } = await runner.run({ parser, how: { kind: 'grow', length } })
    expect(failure).toBeUndefined()
    expect(runs).toBeGreaterThan(20)
  },
  120_000,
)
