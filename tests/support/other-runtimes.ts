import { join } from 'node:path'
import { hasProgram } from './needs.ts'

const programs = join(import.meta.dirname, '../node_modules/.bin')

/** Bun, as a program. */
export const bun: string = join(programs, 'bun')
/** Deno, as a program. */
export const deno: string = join(programs, 'deno')
/** Arguments by which Deno takes what pnpm installed; permissions and the file follow. */
export const denoRun = ['run', '--no-lock', '--no-config', '--node-modules-dir=manual'] as const

/** Tells if Bun is on this machine, for `describe.skipIf`. */
export const hasBun = (): boolean => hasInstalled('Bun', bun)
/** Tells if Deno is on this machine, for `describe.skipIf`. */
export const hasDeno = (): boolean => hasInstalled('Deno', deno)

// Their packages bring a program for the platforms that they support.
function hasInstalled(name: string, program: string): boolean {
  return hasProgram(name, [program, '--version'], `an install on a platform that ${name} supports`)
}
