import { pnpm } from './pnpm.ts'
import { publicPackages } from './public-packages.ts'

/** Packs every public package as it is built now, and returns the paths of the tarballs. */
export function packPackages(folder: string): Promise<string[]> {
  return Promise.all(
    publicPackages().map(async (directory) => {
      const printed = await pnpm([
        '--dir',
        directory,
        'pack',
        '--json',
        '--pack-destination',
        folder,
      ])
      // `pnpm pack --json` prints it in this form.
      const { filename } = JSON.parse(printed) as { filename: string }
      return filename
    }),
  )
}
