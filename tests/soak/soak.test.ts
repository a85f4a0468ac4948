import { randomInt } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { atNight, isNightly } from '../support/nightly.ts'
import { run } from '../support/run-program.ts'

const command = fileURLToPath(new URL('./run.ts', import.meta.url))
// In a process of its own, since what a test runner does to one would be heard too.
const flags = ['--expose-gc', '--disable-warning=ExperimentalWarning', '--conditions=@svc/source']

const seeds: readonly (readonly [name: string, seed: number])[] = [
  ['a seed of its own', randomInt(2 ** 31)],
  ['a seed that stays', 1],
]

test.each(seeds.slice(0, atNight(undefined, 1)))(
  'all is well for some seconds, with %s',
  { timeout: 120_000 },
  async (_name, seed) => {
    const options = ['--seed', `${seed}`, '--minutes', atNight('0.06', '0.03')]
    const { status, stdout, stderr } = await run(process.execPath, [...flags, command, ...options])
    console.log(stdout)
    expect(`${stdout}${stderr}`).toContain('all is well')
    expect(status).toBe(0)
  },
)

test('an option that makes no sense is named', async () => {
  const { status, stderr } = await run(process.execPath, [...flags, command, '--minutes', 'many'])
  expect(status).toBe(2)
  expect(stderr).toContain('--minutes must be a number above 0')
})

test.runIf(isNightly)(
  'odd inputs are tried for some seconds, or one that is named',
  { timeout: 120_000 },
  async () => {
    const tried = await run(process.execPath, [
      ...flags,
      command,
      '--inputs',
      '0.03',
      '--seed',
      '15',
    ])
    expect(tried.stdout).toMatch(/^\d+ cases of seed 15: \d+ findings/m)
    const named = await run(process.execPath, [...flags, command, '--case', 'adapter=broken-bare'])
    expect(named.stdout).toContain('✗ every request has its credential: 1 of 1: GET /V1/reports')
    expect(named.status).toBe(1)
    const wrong = await run(process.execPath, [...flags, command, '--case', 'adapter=none'])
    expect(wrong.stderr).toContain('--case has no adapter that is called "none"')
    expect(wrong.status).toBe(2)
  },
)
