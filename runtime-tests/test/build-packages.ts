import { globSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../../test-support/run-program.ts'

const root = join(import.meta.dirname, '../..')

/** Builds the packages, since what users get is what is built. */
export async function setup(): Promise<void> {
  const projects = globSync('packages/*/tsconfig.build.json', { cwd: root })
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const paths = projects.map((project) => join(root, project))
  const { status, stdout } = await run(process.execPath, [tsc, '--build', ...paths])
  if (status !== 0) throw new Error(stdout)
}
