import { join } from 'node:path'
import { hasProgram } from './needs.ts'

const installed = join(import.meta.dirname, '../other-runtimes/node_modules')
const programs = join(installed, '.bin')

/** Bun, as a program. */
export const bun: string = join(programs, 'bun')
/** Deno, as a program. */
export const deno: string = join(programs, 'deno')
/** Node 22, as a program. */
export const node22: string = join(installed, 'node22/bin/node')
/** Node 26, as a program. */
export const node26: string = join(installed, 'node26/bin/node')
/** A compiler between both ends of the range that is supported. */
export const typescript59 = 'tests/other-runtimes/node_modules/typescript59'
/** Arguments by which Deno takes what pnpm installed; permissions and the file follow. */
export const denoRun = ['run', '--no-lock', '--no-config', '--node-modules-dir=manual'] as const

/** Tells if Node 22 is on this machine, for `describe.skipIf`. */
export const hasNode22 = (): boolean => hasInstalled('Node 22', node22)
/** Tells if Bun is on this machine, for `describe.skipIf`. */
export const hasBun = (): boolean => hasInstalled('Bun', bun)
/** Tells if Deno is on this machine, for `describe.skipIf`. */
export const hasDeno = (): boolean => hasInstalled('Deno', deno)

// Their packages bring a program for the platforms that they support.
function hasInstalled(name: string, program: string): boolean {
  return hasProgram(
    name,
    [program, '--version'],
    `pnpm install, on a platform that ${name} supports`,
  )
}
