import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { buildPackages } from './build-packages.ts'
import { publicPackages } from './public-packages.ts'

/**
 * Builds every public package from nothing, since the compiler leaves the output of sources that
 * are gone, and a cache would bring it back.
 *
 * @throws {Error} if it does not compile.
 */
export async function buildAnew(): Promise<void> {
  await Promise.all(
    publicPackages().map((path) => rm(join(path, 'dist'), { recursive: true, force: true })),
  )
  await buildPackages()
}
