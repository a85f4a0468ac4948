import type { CommandContext } from '../context.ts'

/** Writes the result of a command. Resolves once it is written, or once nobody reads it any more. */
export function writeResult({ stdout }: CommandContext, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (error?: Error | null): void => {
      const isUnread = error && 'code' in error && error.code === 'EPIPE'
      if (error && !isUnread) reject(error)
      else resolve()
    }
    // It is told twice, and the event would end the process if nobody listened.
    stdout.once('error', settle)
    stdout.write(text, settle)
  })
}

/** Writes a remark for people: to a terminal, and to nobody else. */
export function writeNote({ stderr }: CommandContext, text: string): void {
  if (stderr.isTTY) stderr.write(`svc-auth: ${text}\n`)
}
