/* oxlint-disable typescript/no-unsafe-type-assertion -- it makes what a Blob is to its readers */
import { platformBlob } from '#platform'
import { bodyError } from './errors.ts'
import { chunksOf } from './stream.ts'
import { toUploadStream } from './upload.ts'

/** Iterates over the bytes of a Blob. React Native's has nothing to be read by. */
export function chunksOfBlob(blob: Blob): AsyncIterable<Uint8Array> {
  return typeof blob.stream === 'function' ? chunksOf(blob.stream()) : wholeBlob(blob)
}

async function* wholeBlob(blob: Blob): AsyncGenerator<Uint8Array, undefined> {
  yield new Uint8Array(await readBlob(blob))
}

export async function readBlob(blob: Blob): Promise<ArrayBuffer> {
  if (typeof blob.arrayBuffer === 'function') return blob.arrayBuffer()
  const bytes = await new Response(blob).arrayBuffer()
  if (bytes.byteLength === blob.size) return bytes
  // To the runtime a Blob of a package is any object, of which it takes the text.
  throw bodyError('the body is a Blob that cannot be read')
}

/** Tells if a Blob is a package's, which the platform takes for any object. */
export function isPackaged(blob: Blob): boolean {
  try {
    Reflect.get(platformBlob().prototype, 'size', blob)
    return false
  } catch {
    return true
  }
}

/** Joins Blobs of which some are a package's: `new Blob` would take the text of those. */
export function joinBlobs(blobs: readonly Blob[]): Blob {
  async function* chunks(): AsyncGenerator<Uint8Array, undefined> {
    for (const blob of blobs) yield* chunksOfBlob(blob)
  }
  const arrayBuffer = (): Promise<ArrayBuffer> => new Response(stream()).arrayBuffer()
  const stream = (): ReadableStream<Uint8Array> =>
    toUploadStream({ replayable: true, chunks }).stream
  const size = blobs.reduce((sum, blob) => sum + blob.size, 0)
  return { size, type: '', stream, arrayBuffer, [Symbol.toStringTag]: 'Blob' } as unknown as Blob
}
