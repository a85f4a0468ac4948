import { randomInt } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { run } from '../support/run-program.ts'

const command = fileURLToPath(new URL('./run.ts', import.meta.url))
// In a process of its own, since what a test runner does to one would be heard too.
const flags = ['--expose-gc', '--disable-warning=ExperimentalWarning', '--conditions=@svc/source']

test.each([
  ['a seed that stays', 1],
  ['a seed of its own', randomInt(2 ** 31)],
])('all is well for some seconds, with %s', { timeout: 120_000 }, async (_name, seed) => {
  const options = ['--seed', `${seed}`, '--minutes', '0.09']
  const { status, stdout, stderr } = await run(process.execPath, [...flags, command, ...options])
  console.log(stdout)
  expect(`${stdout}${stderr}`).toContain('all is well')
  expect(status).toBe(0)
})

test('an option that makes no sense is named', async () => {
  const { status, stderr } = await run(process.execPath, [...flags, command, '--minutes', 'many'])
  expect(status).toBe(2)
  expect(stderr).toContain('--minutes must be a number above 0')
})
