import { join } from 'node:path'
import { bun, deno, denoRun } from '../../../tests/support/other-runtimes.ts'
import { commandRuntime, node24 } from './command-runtime.ts'
import type { JobRuntime } from './runtime.ts'

// The versions that the runtime tests run on.
const tested = join(import.meta.dirname, '../../../tests/node_modules')

/** The runtimes with `node:crypto`. */
export const jobRuntimes: readonly JobRuntime[] = [
  commandRuntime('Node 20', `${tested}/node20/bin/node`),
  commandRuntime('Node 22', `${tested}/node22/bin/node`),
  node24,
  commandRuntime('Node 26', `${tested}/node26/bin/node`),
  commandRuntime('Bun', bun),
  commandRuntime('Deno', deno, [...denoRun, '--allow-all']),
]
