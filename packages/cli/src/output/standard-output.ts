import type { CommandContext } from '../context.ts'
import { UsageError } from '../exit.ts'

/** Standard output, whose reader may leave at any time. */
export interface StandardOutput {
  /** `true` once the reader has left, as `head` does: the rest is for nobody, which is no error. */
  readonly isClosed: boolean
  /** Writes a piece, and waits until it is written. */
  write(chunk: string | Uint8Array): Promise<void>
}

/** Opens standard output for a result. */
export function openStandardOutput({ stdout, signal }: CommandContext): StandardOutput {
  let failure: NodeJS.ErrnoException | undefined
  let goOn = (): void => {}
  signal.addEventListener('abort', () => goOn())
  // For good: an error may come long after its write, and without a listener it would end the process.
  stdout.on('error', (error: Error) => (failure ??= error))
  return {
    get isClosed(): boolean {
      return failure?.code === 'EPIPE'
    },
    async write(chunk: string | Uint8Array): Promise<void> {
      if (failure === undefined) {
        await new Promise<void>((resolve) => {
          goOn = resolve
          stdout.write(chunk, (error) => {
            failure ??= error ?? undefined
            resolve()
          })
        })
        signal.throwIfAborted()
      }
      if (failure === undefined || failure.code === 'EPIPE') return
      const { code, message } = failure
      throw new UsageError(`standard output cannot be written (${code ?? message})`)
    },
  }
}

/** Writes the result of a command. Resolves once it is written, or once nobody reads it any more. */
export async function writeResult(context: CommandContext, text: string): Promise<void> {
  await openStandardOutput(context).write(text)
}

/** Writes a remark on a result for people: where both are seen on a terminal, and nowhere else. */
export function writeNote({ stdout, stderr }: CommandContext, text: string): void {
  if (stdout.isTTY && stderr.isTTY) stderr.write(`svc-auth: ${text}\n`)
}
