import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { parseReport } from './parse-report.ts'
import type { Runtime } from './runtime.ts'

const execute = promisify(execFile)

/** A runtime that is a command. */
export function commandRuntime(
  name: string,
  command: string,
  /** Arguments before the addresses: flags and the entry. */
  commandArguments: () => Promise<readonly string[]>,
): Runtime {
  return {
    name,
    async version() {
      const { stdout } = await execute(command, ['--version'])
      return /\d+\.\d+\.\d+/.exec(stdout)?.[0] ?? stdout.trim()
    },
    async run({ service, control }) {
      const given = await commandArguments()
      const { stdout } = await execute(command, [...given, service, control], { timeout: 60_000 })
      return parseReport(stdout)
    },
  }
}
