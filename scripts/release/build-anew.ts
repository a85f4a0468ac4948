import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { buildPackages } from './build-packages.ts'
import { publicPackages } from './public-packages.ts'

/**
 * Builds every public package from nothing, without what an earlier build left or a cache would bring back.
 *
 * @throws {Error} if one cannot be built.
 */
export async function buildAnew(): Promise<void> {
  await Promise.all(
    publicPackages().map((path) => rm(join(path, 'dist'), { recursive: true, force: true })),
  )
  await buildPackages('--force')
}
