import { cpSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { pnpm } from '../../../scripts/release/pnpm.ts'
import { output, site } from '../pages.ts'

const folder = join(site, 'inspector')

/** Tells if the inspector is part of this repository. */
export function hasInspector(): boolean {
  return existsSync(join(folder, 'package.json'))
}

/** Builds the inspector, which is a document of its own, and puts it beside the pages. */
export async function addInspector(): Promise<void> {
  if (!hasInspector()) return
  await pnpm(['--dir', folder, 'run', 'build'])
  cpSync(join(folder, 'dist'), join(output, 'inspector'), { recursive: true })
}
