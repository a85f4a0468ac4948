import { readFile } from 'node:fs/promises'
import { run } from '../../test-support/run-program.ts'
import { repository } from './repository.ts'

/**
 * Runs the pnpm that package.json pins, whichever is installed, and gives what it printed.
 *
 * @throws {Error} where it fails, with all that it printed.
 */
export async function pnpm(args: readonly string[]): Promise<string> {
  // A manifest of this very repository.
  const { packageManager } = JSON.parse(await readFile(`${repository}/package.json`, 'utf8')) as {
    packageManager: string
  }
  const { status, stdout, stderr } = await run('npx', ['--yes', packageManager, ...args])
  if (status !== 0) throw new Error(`pnpm ${args.join(' ')} failed\n${stdout}${stderr}`)
  return stdout
}
