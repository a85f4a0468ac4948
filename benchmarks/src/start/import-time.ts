import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { inRounds } from '../measure/in-rounds.ts'

const execute = promisify(execFile)
const node = fileURLToPath(new URL('../../../node_modules/.bin/node', import.meta.url))
const folder = fileURLToPath(new URL('../..', import.meta.url))

/** A module without anything in it. */
export const emptyModule = 'data:text/javascript,'

/** For modules that take a key from the environment. */
const placeholderKey = { AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: 'EXAMPLEKEY' }

/** Measures the import of each module in a fresh process, in milliseconds by round. */
export function importTimes(specifiers: readonly string[], rounds: number): Promise<number[][]> {
  return inRounds(specifiers, rounds, async (specifier) => {
    const script = `
      const startedAt = performance.now()
      await import(${JSON.stringify(specifier)})
      console.log(performance.now() - startedAt)
      process.exit()
    `
    const { stdout } = await execute(node, ['--input-type=module', '--eval', script], {
      cwd: folder,
      env: { ...process.env, ...placeholderKey, NODE_NO_WARNINGS: '1' },
    })
    return Number(stdout)
  })
}
