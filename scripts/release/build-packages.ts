import { join } from 'node:path'
import { run } from '../../tests/support/run-program.ts'
import { publicPackages } from './public-packages.ts'
import { repository } from './repository.ts'

/**
 * Builds every public package, as far as it has changed since.
 *
 * @throws {Error} if it does not compile.
 */
export async function buildPackages(): Promise<void> {
  const tsc = join(repository, 'node_modules/typescript/bin/tsc')
  const { status, stdout } = await run(process.execPath, [tsc, '--build', ...publicPackages()])
  if (status !== 0) throw new Error(stdout)
}
