import type { CommandContext } from '../context.ts'
import { openStandardOutput } from './standard-output.ts'

/** Writes the result of a command. Resolves once it is written, or once nobody reads it any more. */
export async function writeResult(context: CommandContext, text: string): Promise<void> {
  const output = openStandardOutput(context)
  await output.write(text)
  await output.end()
}

/** Writes a remark on a result for people: where both are seen on a terminal, and nowhere else. */
export function writeNote({ stdout, stderr }: CommandContext, text: string): void {
  if (stdout.isTTY && stderr.isTTY) stderr.write(`svc-auth: ${text}\n`)
}
