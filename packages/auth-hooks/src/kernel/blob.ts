/* oxlint-disable typescript/no-unsafe-type-assertion -- it makes what a Blob is to its readers */
import { platformBlob } from '#platform'
import { bodyError, hooksError } from '../kit/errors.ts'
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
function joinBlobs(blobs: readonly Blob[]): Blob {
  async function* chunks(): AsyncGenerator<Uint8Array, undefined> {
    for (const blob of blobs) yield* chunksOfBlob(blob)
  }
  const arrayBuffer = (): Promise<ArrayBuffer> => new Response(stream()).arrayBuffer()
  const stream = (): ReadableStream<Uint8Array> =>
    toUploadStream({ replayable: true, chunks }).stream
  const size = blobs.reduce((sum, blob) => sum + blob.size, 0)
  return { size, type: '', stream, arrayBuffer, [Symbol.toStringTag]: 'Blob' } as unknown as Blob
}

/**
 * Encodes a form as `multipart/form-data`, once: the boundary in the content type is the one in the
 * body, files are referred to and not read, and the length is known.
 *
 * @see https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#multipart-form-data
 */
export function encodeMultipart(form: FormData): { blob: Blob; contentType: string } {
  const boundary = `----svc-auth-${random128()}`
  const parts: (Blob | string)[] = []
  for (const [name, value] of form) {
    const disposition = `--${boundary}\r\nContent-Disposition: form-data; name="${escapeName(crlf(name))}"`
    if (typeof value === 'string') {
      parts.push(`${disposition}\r\n\r\n${crlf(value)}\r\n`)
    } else {
      const type = value.type || 'application/octet-stream'
      const filename = escapeName(value.name)
      parts.push(`${disposition}; filename="${filename}"\r\nContent-Type: ${type}\r\n\r\n`)
      parts.push(value, '\r\n')
    }
  }
  parts.push(`--${boundary}--\r\n`)
  const contentType = `multipart/form-data; boundary=${boundary}`
  const PlatformBlob = platformBlob()
  const isOwn = parts.every((part) => typeof part === 'string' || !isPackaged(part))
  const toBlob = (part: Blob | string): Blob =>
    typeof part === 'string' ? new PlatformBlob([part]) : part
  return { blob: isOwn ? new PlatformBlob(parts) : joinBlobs(parts.map(toBlob)), contentType }
}

// Not `crypto.randomUUID`, which a page on plain http does not have.
function random128(): string {
  const { crypto: given } = globalThis as { readonly crypto?: Partial<Crypto> }
  if (given?.getRandomValues) return given.getRandomValues(new Uint32Array(4)).join('-')
  throw hooksError(
    'ERR_AUTH_CRYPTO',
    'a form needs crypto.getRandomValues, which this runtime does not have',
  )
}

function crlf(text: string): string {
  return text.replace(/\r\n|\r|\n/g, '\r\n')
}

function escapeName(text: string): string {
  return text.replace(/[\n\r"]/g, encodeURIComponent)
}
