import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { bundleForNode } from './bundle.ts'
import type { Job } from './job.ts'
import type { JobRuntime } from './runtime.ts'

const execute = promisify(execFile)

/** Returns a runtime that a command starts. */
function commandRuntime(name: string, command: string, flags: readonly string[] = []): JobRuntime {
  return {
    name,
    async version() {
      const { stdout } = await execute(command, ['--version'])
      return /\d+\.\d+\.\d+/.exec(stdout)?.[0] ?? stdout.trim()
    },
    async run<Parameters, Result>(
      { entry }: Job<Parameters, Result>,
      parameters: Parameters,
    ): Promise<Result> {
      const file = await bundleForNode(entry)
      const { stdout } = await execute(command, [...flags, file, JSON.stringify(parameters)], {
        maxBuffer: 256 * 1024 ** 2,
        timeout: 300_000,
        // Hides the deprecations that peers cause.
        env: { ...process.env, NODE_NO_WARNINGS: '1' },
      })
      // `report` wrote it.
      return JSON.parse(stdout) as Result
    },
  }
}

const node = join(import.meta.dirname, '../../../node_modules/.bin/node')

/** The Node that most topics are measured on. */
export const node24: JobRuntime = commandRuntime('Node 24', node, ['--expose-gc'])
