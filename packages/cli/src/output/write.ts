import type { CommandContext } from '../context.ts'
import { openStandardOutput } from './standard-output.ts'

/** Writes the result of a command. Resolves once it is written, or once nobody reads it any more. */
export async function writeResult(context: CommandContext, text: string): Promise<void> {
  const output = openStandardOutput(context)
  await output.write(text)
  await output.end()
}

/** Writes a remark for people: to a terminal, and to nobody else. */
export function writeNote({ stderr }: CommandContext, text: string): void {
  if (stderr.isTTY) stderr.write(`svc-auth: ${text}\n`)
}
