import type { ReadStream, WriteStream } from 'node:tty'
import type { Platform } from './platform/platform.ts'

/** Everything outside of the program that a command reads or writes. */
export interface CommandContext {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdin: NodeJS.ReadableStream & Partial<Pick<ReadStream, 'isTTY' | 'setRawMode'>>
  readonly stdout: NodeJS.WritableStream & Partial<Pick<WriteStream, 'isTTY' | 'columns'>>
  readonly stderr: NodeJS.WritableStream & Partial<Pick<WriteStream, 'isTTY' | 'columns'>>
  readonly platform: Platform
  /** The time, in epoch milliseconds. */
  readonly clock: () => number
  /** Aborts at the first Ctrl-C, or when the process is asked to end. */
  readonly signal: AbortSignal
}
