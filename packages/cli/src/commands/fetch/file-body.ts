import type { FileHandle } from 'node:fs/promises'
import { open } from 'node:fs/promises'
import { UsageError } from '../../exit.ts'
import { errorCode } from '../../error-code.ts'

/**
 * A body that can be read again, piece by piece: once to be signed, and once for every attempt. It has the form
 * of a `Blob`, which undici and the kernel read so; one of Node's reads a file more slowly, and misses what is appended.
 */
export interface BlobBody {
  readonly [Symbol.toStringTag]: 'Blob'
  readonly size: number
  readonly type: ''
  stream(): AsyncIterable<Uint8Array>
}

/** A file that is open for sending. */
export interface OpenFile {
  readonly body: BlobBody
  readonly close: () => Promise<void>
}

/** Large enough for few trips to the disk, and small enough for memory not to be noticed. */
const chunkBytes = 128 * 1024

/**
 * Opens a file to be sent; `undefined` if it is a pipe or a device, which has no length.
 *
 * @param place - The flag with the file, for messages.
 * @throws UsageError if it cannot be read.
 */
export async function openFile(file: string, place: string): Promise<OpenFile | undefined> {
  let handle: FileHandle
  try {
    handle = await open(file)
  } catch (cause) {
    throw new UsageError(`${place} cannot be read (${errorCode(cause)})`, { cause })
  }
  const status = await handle.stat()
  if (status.isDirectory()) {
    await handle.close()
    throw new UsageError(`${place} is a folder; give a file`)
  }
  if (!status.isFile()) {
    await handle.close()
    return undefined
  }
  return fileOf(handle, place)
}

/** Returns the body of a file that is open. */
export async function fileOf(handle: FileHandle, place: string): Promise<OpenFile> {
  const opened = await handle.stat({ bigint: true })
  const size = Number(opened.size)
  const assertUnchanged = async (): Promise<void> => {
    const now = await handle.stat({ bigint: true })
    if (now.size === opened.size && now.mtimeNs === opened.mtimeNs) return
    throw new UsageError(
      `${place} was changed while it was sent; send it again once it is complete`,
    )
  }
  async function* read(): AsyncGenerator<Uint8Array, undefined> {
    let position = 0
    while (position < size) {
      const wanted = Math.min(chunkBytes, size - position)
      // Not from a pool, and never used again: a socket may still hold the last one.
      const { bytesRead, buffer } = await handle.read(
        Buffer.allocUnsafeSlow(wanted),
        0,
        wanted,
        position,
      )
      position += bytesRead
      // Before the last piece, so that a request that is wrong is never whole.
      if (bytesRead < wanted || position === size) await assertUnchanged()
      yield buffer.subarray(0, bytesRead)
    }
  }
  return {
    body: { [Symbol.toStringTag]: 'Blob', size, type: '', stream: read },
    close: () => handle.close(),
  }
}

/** Joins bodies into one. */
export function joinBodies(parts: readonly BlobBody[]): BlobBody {
  return {
    [Symbol.toStringTag]: 'Blob',
    size: parts.reduce((size, part) => size + part.size, 0),
    type: '',
    async *stream() {
      for (const part of parts) yield* part.stream()
    },
  }
}

/** Returns the body of bytes that nobody changes. */
export function bytesBody(bytes: Uint8Array): BlobBody {
  return {
    [Symbol.toStringTag]: 'Blob',
    size: bytes.byteLength,
    type: '',
    async *stream() {
      yield bytes
    },
  }
}
