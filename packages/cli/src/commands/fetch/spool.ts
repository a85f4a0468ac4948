import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { UsageError } from '../../exit.ts'
import { bytesBody, fileOf, type OpenFile } from './file-body.ts'
import { errorCode } from '../../error-code.ts'

/** The most of a pipe that is kept in memory: 8 MiB. */
const maxMemoryBytes = 8 * 1024 * 1024

/** The reading of a pipe. */
interface SpoolOptions {
  readonly signal: AbortSignal
  /** The flag that names the pipe, for messages. */
  readonly place: string
}

/**
 * Reads a pipe to its end, so that its length is known, and it can be signed and sent again. Beyond 8 MiB it
 * goes to a temporary file that nobody else can read.
 */
export async function spool(
  pipe: NodeJS.ReadableStream,
  { signal, place }: SpoolOptions,
): Promise<OpenFile> {
  const kept: Buffer[] = []
  let size = 0
  let file: TemporaryFile | undefined
  try {
    for await (const chunk of untilAborted(pipe, signal)) {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
      size += bytes.byteLength
      kept.push(bytes)
      if (size <= maxMemoryBytes) continue
      file ??= await openTemporaryFile()
      await file.append(kept.splice(0))
    }
    if (!file) return { body: bytesBody(Buffer.concat(kept)), close: async () => {} }
    const { close, handle } = file
    return { body: (await fileOf(handle, place)).body, close }
  } catch (error) {
    await file?.close()
    throw error
  }
}

type TemporaryFile = Awaited<ReturnType<typeof openTemporaryFile>>

async function openTemporaryFile() {
  const parent = tmpdir()
  const fail = (cause: unknown): never => {
    throw new UsageError(
      `a pipe cannot be kept in ${parent} (${errorCode(cause)}); set TMPDIR to a folder with room, or give its ` +
        'length with -H "Content-Length: <bytes>"',
      { cause },
    )
  }
  const folder = await mkdtemp(join(parent, 'svc-auth-')).catch(fail)
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true })
  const handle = await open(join(folder, 'body'), 'wx+', 0o600).catch(fail)
  // So that nothing is left behind, whatever ends the process. Windows removes no file that is open.
  if (process.platform !== 'win32') await remove()
  return {
    handle,
    append: async (chunks: readonly Buffer[]) => {
      await handle.appendFile(Buffer.concat(chunks)).catch(fail)
    },
    close: async () => {
      await handle.close()
      await remove()
    },
  }
}

// Ends a pipe that nobody wants any more, also one from which nothing comes.
async function* untilAborted(
  pipe: NodeJS.ReadableStream,
  signal: AbortSignal,
): AsyncGenerator<Buffer | string, undefined> {
  const end = (): void => destroyStream(pipe, signal.reason)
  signal.addEventListener('abort', end)
  try {
    signal.throwIfAborted()
    yield* pipe
    signal.throwIfAborted()
  } finally {
    signal.removeEventListener('abort', end)
  }
}

/** Ends a stream; one that stays open keeps the process. */
export function destroyStream(stream: NodeJS.ReadableStream, reason?: unknown): void {
  // The types of Node know no `destroy` of what may be any stream.
  const { destroy } = stream as { destroy?: (reason?: unknown) => void }
  destroy?.call(stream, reason)
}
