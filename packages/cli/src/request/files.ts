import { readFile } from 'node:fs/promises'
import { addAbortSignal, type Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { CommandContext } from '../context.ts'
import { errorCode, UsageError } from '../exit.ts'

/** Reads a file that a flag names, or the standard input, once, as `-`. The place is the flag as it was given. */
export type ReadFile = (place: string, name: string) => Promise<Buffer>

/** Creates a {@link ReadFile} for one command line. */
export function createFileReader({ stdin, signal }: CommandContext): ReadFile {
  let reader: string | undefined
  return async (place, name) => {
    if (name !== '-') return readNamedFile(place, name, signal)
    if (reader !== undefined) {
      throw new UsageError(`${place}: the standard input is already read for ${reader}`)
    }
    reader = place
    // Every stream of the process is one; the type is that of any stream that can be read.
    return buffer(addAbortSignal(signal, stdin as Readable))
  }
}

/** Says why a file cannot be read, by the code of the system's error. */
const reasons: Readonly<Record<string, string>> = {
  EISDIR: 'is a folder',
  ENOENT: 'does not exist',
}

async function readNamedFile(place: string, name: string, signal: AbortSignal): Promise<Buffer> {
  if (name === '') throw new UsageError(`${place}: the file has no name`)
  try {
    return await readFile(name, { signal })
  } catch (error) {
    signal.throwIfAborted()
    const code = errorCode(error)
    const reason = reasons[code] ?? `cannot be read (${code})`
    throw new UsageError(`${place}: the file ${reason}`, { cause: error })
  }
}
