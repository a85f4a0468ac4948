import { join } from 'node:path'

/** A runtime that runs TypeScript. */
export interface OtherRuntime {
  readonly runtime: 'Bun' | 'Deno'
  /** What stands before the file: it is run from the sources, and allowed everything. */
  readonly command: readonly [program: string, ...args: string[]]
}

const programs = join(import.meta.dirname, '../runtime-tests/node_modules/.bin')
const fromSource = '--conditions=@svc/source'
const ofDeno = ['--no-lock', '--no-config', '--node-modules-dir=manual', '--allow-all']

/** What modules run in beside Node. */
export const otherRuntimes: readonly OtherRuntime[] = [
  { runtime: 'Bun', command: [join(programs, 'bun'), fromSource] },
  { runtime: 'Deno', command: [join(programs, 'deno'), 'run', ...ofDeno, fromSource] },
]
