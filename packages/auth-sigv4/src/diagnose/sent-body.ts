import { isRequest } from '@svc/auth-hooks/scheme'
import type { OutgoingBody } from '@svc/types'
import { readStream } from './read-stream.ts'

/** The default of `maxReplayBytes`: a longer body of a `Request` counts as a stream. */
const maxRequestBytes = 8 * 1024 * 1024

/**
 * Reads a body as it was sent, by the platform alone: a diagnosis loads nothing of the kernel, whose own
 * reader a test compares with this one. A stream in `init` is left alone; a `Request` stays usable.
 *
 * @throws TypeError where the body of a `Request` has been used.
 */
export async function readSentBody(
  source: Request | undefined,
  init: RequestInit | undefined,
): Promise<OutgoingBody | undefined> {
  const given = init?.body ?? undefined
  if (given === undefined) return readRequestBody(source)
  // A Request given as init has a body that can be read like that of any Request.
  return isRequest(init) ? readRequestBody(init) : readGivenBody(given)
}

async function readRequestBody(source: Request | undefined): Promise<OutgoingBody | undefined> {
  // Firefox has no `Request.body` and gives undefined, whatever the request holds.
  if (!source || source.body === null || /^(?:GET|HEAD)$/.test(source.method)) return undefined
  const copy = source.clone()
  if (copy.body) {
    const bytes = await readUpTo(copy.body, maxRequestBytes)
    return bytes ? memoryBody(bytes) : streamedBody
  }
  const bytes = await bytesOf(copy)
  return bytes.byteLength > 0 ? memoryBody(bytes) : undefined
}

async function readUpTo(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  maxBytes: number,
): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array<ArrayBuffer>[] = []
  const outcome = await readStream(stream, maxBytes + 1, (chunk) => chunks.push(chunk))
  return outcome === 'ended' ? bytesOf(new Blob(chunks)) : undefined
}

type GivenBody = NonNullable<RequestInit['body']>

async function readGivenBody(given: GivenBody): Promise<OutgoingBody> {
  if (isStream(given)) return streamedBody
  if (isBlob(given)) return blobBody(given)
  const source = ArrayBuffer.isView(given)
    ? // A copy of these bytes, which may be shared memory.
      new Uint8Array(given.buffer, given.byteOffset, given.byteLength).slice()
    : given
  const response = new Response(source)
  const contentType = response.headers.get('content-type')
  return memoryBody(await bytesOf(response), contentType)
}

function isStream(given: GivenBody): boolean {
  return (
    typeof given === 'object' &&
    ('getReader' in given || Symbol.asyncIterator in given || 'pipe' in given)
  )
}

// By tag and not by class, since one of another realm or of a package is just as good.
function isBlob(given: GivenBody): given is Blob {
  return /^\[object (?:Blob|File)\]$/.test(Object.prototype.toString.call(given))
}

/** Stands for a body that can be read only once: nothing of it is hashed. */
const streamedBody: OutgoingBody = {
  replayable: false,
  bytes: () => new Uint8Array(),
  async *chunks() {},
}

function memoryBody(bytes: Uint8Array, contentType?: string | null): OutgoingBody {
  return {
    size: bytes.byteLength,
    replayable: true,
    inMemory: true,
    ...(contentType && { contentType }),
    bytes: () => bytes,
    async *chunks() {
      yield bytes
    },
  }
}

const sliceBytes = 1024 * 1024

function blobBody(blob: Blob): OutgoingBody {
  return {
    size: blob.size,
    replayable: true,
    ...(blob.type && { contentType: blob.type }),
    bytes: () => bytesOf(blob),
    // By slices, since not every ReadableStream is an async iterable.
    async *chunks() {
      for (let start = 0; start < blob.size; start += sliceBytes) {
        yield await bytesOf(blob.slice(start, start + sliceBytes))
      }
    },
  }
}

async function bytesOf(source: Blob | Body): Promise<Uint8Array> {
  return new Uint8Array(await source.arrayBuffer())
}
