import { relative } from 'node:path'
import { pnpm } from './pnpm.ts'
import { publicPackages } from './public-packages.ts'
import { repository } from './repository.ts'

/** Packs every public package as it is built now, and returns the paths of the tarballs. */
export async function packPackages(folder: string): Promise<string[]> {
  const filters = publicPackages().map((path) => `--filter=./${relative(repository, path)}`)
  const options = ['--json', '--pack-destination', folder]
  const printed = await pnpm(['--dir', repository, ...filters, 'pack', ...options])
  // `pnpm pack --json` prints them in this form.
  const packed = JSON.parse(printed) as readonly { filename: string }[]
  return packed.map(({ filename }) => filename)
}
