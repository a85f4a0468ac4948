import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from '../../test-support/run-program.ts'
import { publicPackages } from './public-packages.ts'
import { repository } from './repository.ts'

/**
 * Builds every public package from nothing, since the compiler leaves the output of sources that
 * are gone, and a cache would bring it back.
 *
 * @throws {Error} where it does not compile.
 */
export async function buildAnew(): Promise<void> {
  const packages = publicPackages()
  await Promise.all(
    packages.map((path) => rm(join(path, 'dist'), { recursive: true, force: true })),
  )
  const tsc = join(repository, 'node_modules/typescript/bin/tsc')
  const projects = packages.map((path) => join(path, 'tsconfig.build.json'))
  const { status, stdout } = await run(process.execPath, [tsc, '--build', ...projects])
  if (status !== 0) throw new Error(stdout)
}
