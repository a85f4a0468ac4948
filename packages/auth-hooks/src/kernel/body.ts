/* oxlint-disable typescript/no-unsafe-type-assertion, typescript/no-base-to-string -- values are told apart by their tag, which TypeScript does not follow */

import type { OutgoingBody } from '@svc/types'
import { type AuthError, bodyError } from '../kit/errors.ts'
import { chunksOfBlob, encodeMultipart, isPackaged, readBlob } from './blob.ts'
import {
  type ChunkSource,
  chunksOf,
  countChunks,
  iterate,
  isWebStream,
  type OwnBytes,
} from './stream.ts'

/** A body that was serialised once, with the form in which an inner `fetch` takes it. */
export interface SerializedBody extends OutgoingBody {
  readonly source: BodySource
  /** `true` if the source is a Blob of a package: the platform's `fetch` would send the text `[object Blob]`. */
  readonly isPackaged?: boolean
}

export type BodySource = NonNullable<RequestInit['body']>

/** Serialises a body as `fetch` takes it. A stream stays a stream and is not read. */
export function serializeBody(source: BodySource): SerializedBody {
  if (typeof source === 'string') return new TextBody(source, 'text/plain;charset=UTF-8')
  const kind = ArrayBuffer.isView(source) ? 'ArrayBuffer' : kindOf(source)
  if (kind?.endsWith('ArrayBuffer'))
    return bytesBody(new Uint8Array(bytesOf(source as ArrayBuffer)))
  if (kind === 'URLSearchParams') {
    return new TextBody(String(source), 'application/x-www-form-urlencoded;charset=UTF-8')
  }
  if (kind === 'FormData') return formBody(source as FormData)
  if (kind) return blobBody(source as Blob)
  // undici takes any async iterable, and with it Node's own streams.
  if (typeof source === 'object' && (isWebStream(source) || Symbol.asyncIterator in source)) {
    return streamBody(source as ChunkSource)
  }
  return new TextBody(String(source), 'text/plain;charset=UTF-8')
}

/** Returns the kind of a body by its tag and not by class, since a value of another realm or package is as good. */
export function kindOf(source: unknown): string | undefined {
  const tag = Object.prototype.toString.call(source).slice(8, -1)
  if (/^(?:(?:Shared)?ArrayBuffer|URLSearchParams|Blob|File|FormData)$/.test(tag)) return tag
  // Those of React Native have none, and a subclass may have one of its own.
  return ['FormData', 'Blob', 'URLSearchParams'].find((name) => isOfGlobal(source, name))
}

function isOfGlobal(source: unknown, name: string): boolean {
  const known: unknown = Reflect.get(globalThis, name)
  return typeof known === 'function' && source instanceof known
}

function formBody(form: FormData): SerializedBody {
  if (Symbol.iterator in form) {
    const { blob, contentType } = encodeMultipart(form)
    return blobBody(blob, contentType)
  }
  // React Native encodes its own form, which cannot be iterated.
  if (isOfGlobal(form, 'FormData')) return streamBody(form)
  // `fetch` would send the text `[object FormData]`.
  throw bodyError(
    'the body is a form of a package that cannot be read; pass a FormData of the runtime',
  )
}

/** Returns the bytes of a buffer in place, as a constructor copies them faster than `slice`. */
function bytesOf(source: ArrayBufferView | ArrayBuffer): Uint8Array {
  try {
    return ArrayBuffer.isView(source)
      ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
      : new Uint8Array(source)
  } catch {
    throw bodyError('the body is a buffer that is detached, as by postMessage or transfer')
  }
}

export function bytesBody(bytes: OwnBytes): SerializedBody {
  return {
    source: bytes,
    size: bytes.byteLength,
    replayable: true,
    inMemory: true,
    bytes: () => bytes,
    chunks: () => iterate([bytes]),
  }
}

/** Returns a body that can be read once: a stream, or that of a `Request` that is too large to keep. */
export function streamBody(
  stream: ChunkSource,
  chunks: () => AsyncIterable<Uint8Array> = () => chunksOf(stream),
): SerializedBody {
  return {
    source: stream as BodySource,
    replayable: false,
    bytes: () => Promise.reject(bodyError('a stream cannot be read before it is sent')),
    chunks,
  }
}

/** Returns a stream that is counted against the length announced for it. */
export function countedBody(body: SerializedBody, announced: string, line: string): SerializedBody {
  const size = readLength(announced, line)
  return { ...body, size, chunks: () => countChunks(body.chunks(), size, line) }
}

/** Returns a body that is as long as its `content-length` announces, or throws. `line` stands in messages. */
export function announcedBody(
  body: SerializedBody | undefined,
  announced: string,
  line: string,
): SerializedBody | undefined {
  if (body && body.size === undefined) return countedBody(body, announced, line)
  if ((body?.size ?? 0) !== readLength(announced, line)) throw lengthError(line)
  return body
}

function readLength(text: string, line: string): number {
  // More digits than these are no exact number.
  if (!/^\d{1,15}$/.test(text)) throw lengthError(line)
  return Number(text)
}

export function lengthError(line: string): AuthError {
  return bodyError(`${line}: content-length must be the body's length in bytes`)
}

/** A body of text. A class, since V8 makes an object with a getter of its own ten times as slowly. */
export class TextBody implements SerializedBody {
  readonly replayable = true
  readonly inMemory = true
  readonly source: string
  readonly text: string
  readonly contentType: string
  #bytes: Uint8Array | undefined

  constructor(text: string, contentType: string) {
    this.source = text
    this.text = text
    this.contentType = contentType
  }

  get size(): number {
    return this.bytes().byteLength
  }

  readonly bytes = (): Uint8Array => (this.#bytes ??= new TextEncoder().encode(this.text))

  readonly chunks = (): AsyncIterable<Uint8Array> => iterate([this.bytes()])
}

function blobBody(blob: Blob, contentType = blob.type): SerializedBody {
  return {
    source: blob,
    size: blob.size,
    replayable: true,
    isPackaged: isPackaged(blob),
    ...(contentType && { contentType }),
    bytes: async () => new Uint8Array(await readBlob(blob)),
    chunks: () => chunksOfBlob(blob),
  }
}
