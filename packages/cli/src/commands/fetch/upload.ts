import { randomUUID } from 'node:crypto'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { addAbortSignal, type Readable } from 'node:stream'
import type { CommandContext } from '../../context.ts'
import { errorCode, UsageError } from '../../exit.ts'
import { type Platform, privateModes } from '../../platform/platform.ts'
import type { Progress } from './progress.ts'

/** The body of a request. */
export interface RequestBody {
  /** Bytes, a file that can be read again, or a pipe that is sent as it comes. */
  readonly content: Buffer | FileBody | Readable
  readonly size: number | undefined
  close(): Promise<void>
}

/**
 * A file that can be read again: once to be signed, and once for every attempt. It has the form of a `Blob`, which
 * undici and the kernel read so; one of Node's reads a file more slowly, and misses what is appended.
 */
export interface FileBody {
  readonly [Symbol.toStringTag]: 'Blob'
  readonly size: number
  readonly type: ''
  stream(): AsyncIterable<Uint8Array>
}

/** An upload as it is named in messages, and while it is sent. */
interface NamedUpload {
  readonly place: string
  readonly name: string
  readonly progress: Progress
}

/**
 * Opens what `--upload-file` names, which shows how much of it is sent.
 *
 * @param isFramed - `true` if the user tells the length, or asks for chunks: a pipe is sent as it comes.
 */
export async function openUpload(
  file: string,
  { stdin, signal, platform }: CommandContext,
  isFramed: boolean,
  progress: Progress,
): Promise<RequestBody> {
  if (file === '') throw new UsageError('--upload-file names no file')
  const isInput = file === '-'
  const place = isInput ? '--upload-file (standard input)' : `--upload-file ${file}`
  const upload = { place, name: isInput ? 'standard input' : basename(file), progress }
  const handle = isInput ? undefined : await openFile(file, place)
  if (handle && (await handle.stat()).isFile()) {
    return { ...(await fileBody(handle, upload)), close: () => handle.close() }
  }
  // Every stream of the process is one.
  const pipe = handle?.createReadStream() ?? (stdin as Readable)
  // A pipe that stays open would keep the process.
  const end = (): void => void pipe.destroy()
  if (isFramed) {
    progress.start(upload.name, undefined)
    pipe.on('data', (chunk: Uint8Array) => progress.add(chunk.byteLength)).pause()
    return { content: pipe, size: undefined, close: async () => end() }
  }
  try {
    return await spool(addAbortSignal(signal, pipe), upload, platform)
  } finally {
    end()
  }
}

/** Opens a file, or a pipe or a device, which has no length. */
async function openFile(file: string, place: string): Promise<FileHandle> {
  const handle = await open(file).catch((cause: unknown) => {
    throw new UsageError(`${place} cannot be read (${errorCode(cause)})`, { cause })
  })
  if (!(await handle.stat()).isDirectory()) return handle
  await handle.close()
  throw new UsageError(`${place} is a folder; give a file`)
}

/** Large enough for few trips to the disk, and small enough for memory not to be noticed. */
const chunkBytes = 128 * 1024

async function fileBody(
  handle: FileHandle,
  { place, name, progress }: NamedUpload,
): Promise<{ readonly content: FileBody; readonly size: number }> {
  const opened = await handle.stat({ bigint: true })
  const size = Number(opened.size)
  const assertUnchanged = async (): Promise<void> => {
    const now = await handle.stat({ bigint: true })
    if (now.size === opened.size && now.mtimeNs === opened.mtimeNs) return
    throw new UsageError(
      `${place} was changed while it was sent; send it again once it is complete`,
    )
  }
  async function* stream(): AsyncGenerator<Uint8Array, undefined> {
    let position = 0
    progress.start(name, size)
    while (position < size) {
      const wanted = Math.min(chunkBytes, size - position)
      // Not from a pool, and never used again: a socket may still hold the last one.
      const chunk = Buffer.allocUnsafeSlow(wanted)
      const { bytesRead } = await handle.read(chunk, 0, wanted, position)
      position += bytesRead
      progress.add(bytesRead)
      // Before the last piece, so that a request that is wrong is never whole.
      if (bytesRead < wanted || position === size) await assertUnchanged()
      yield chunk.subarray(0, bytesRead)
    }
  }
  return { content: { [Symbol.toStringTag]: 'Blob', size, type: '', stream }, size }
}

/** The most of a pipe that is kept in memory: 8 MiB. */
const maxMemoryBytes = 8 * 1024 * 1024

/**
 * Reads a pipe to its end, so that its length is known, and it can be signed and sent again. Beyond 8 MiB it goes to a
 * temporary file that only this user can read.
 */
async function spool(
  pipe: Readable,
  upload: NamedUpload,
  platform: Platform,
): Promise<RequestBody> {
  const kept: Buffer[] = []
  let size = 0
  let file: TemporaryFile | undefined
  try {
    for await (const chunk of pipe as AsyncIterable<Buffer | string>) {
      const bytes = Buffer.from(chunk)
      size += bytes.byteLength
      kept.push(bytes)
      if (size <= maxMemoryBytes) continue
      file ??= await openTemporaryFile(platform)
      await file.append(kept.splice(0))
    }
    if (!file) return { content: Buffer.concat(kept), size, close: async () => {} }
    return { ...(await fileBody(file.handle, upload)), close: file.close }
  } catch (error) {
    await file?.close()
    throw error
  }
}

type TemporaryFile = Awaited<ReturnType<typeof openTemporaryFile>>

async function openTemporaryFile({ isPosix }: Platform) {
  const parent = tmpdir()
  const fail = (cause: unknown): never => {
    throw new UsageError(
      `a pipe cannot be kept in ${parent} (${errorCode(cause)}); set TMPDIR to a folder with room, or give its ` +
        'length with -H "Content-Length: <bytes>"',
      { cause },
    )
  }
  const path = join(parent, `svc-auth-${randomUUID()}`)
  const remove = (): Promise<void> => rm(path, { force: true })
  const handle = await open(path, 'wx+', privateModes.file).catch(fail)
  // So that nothing is left behind, whatever ends the process.
  if (isPosix) await remove()
  return {
    handle,
    append: (chunks: readonly Buffer[]) => handle.appendFile(Buffer.concat(chunks)).catch(fail),
    close: async () => {
      await handle.close()
      await remove()
    },
  }
}
