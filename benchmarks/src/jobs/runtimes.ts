import { join } from 'node:path'
import { bun, deno, denoRun, node22, node26 } from '../../../tests/support/other-runtimes.ts'
import { commandRuntime, node24 } from './command-runtime.ts'
import type { JobRuntime } from './runtime.ts'

const node20 = join(import.meta.dirname, '../../../tests/node_modules/node20/bin/node')

/** The runtimes with `node:crypto`. */
export const jobRuntimes: readonly JobRuntime[] = [
  commandRuntime('Node 20', node20),
  commandRuntime('Node 22', node22),
  node24,
  commandRuntime('Node 26', node26),
  commandRuntime('Bun', bun),
  commandRuntime('Deno', deno, [...denoRun, '--allow-all']),
]
