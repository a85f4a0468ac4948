import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { packPackages } from '../../../scripts/release/pack-packages.ts'
import { outputIn } from '../../support/run-program.ts'

/**
 * Installs what a user of the service needs in a new project, from the packages as they are packed, and
 * returns its folder. Nothing else is asked for anything.
 */
export async function installPacked(folder: string): Promise<string> {
  const tarballs = await packPackages(folder)
  const project = join(folder, 'project')
  await mkdir(project)
  await writeFile(
    join(project, 'package.json'),
    JSON.stringify({ name: 'consumer', private: true }),
  )
  // These are programs, which depend on libraries of others.
  const own = tarballs.filter((path) => !/svc-(?:cli|emulator)-/.test(path))
  await outputIn(project, ['npm', 'install', ...own, '--offline', '--no-audit', '--no-fund'])
  return project
}
