import type { CommandContext } from '../context.ts'
import { type ExitCode, exitCodes, UsageError } from '../exit.ts'

/** Says on standard error why a command failed, in one line, and returns its exit code. */
export function reportError(error: unknown, { stderr }: CommandContext): ExitCode {
  const message = error instanceof Error ? error.message : String(error)
  stderr.write(`svc-auth: ${message}\n`)
  return error instanceof UsageError ? exitCodes.usage : exitCodes.network
}
