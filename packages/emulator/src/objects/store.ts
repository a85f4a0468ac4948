import { createHash } from 'node:crypto'
import { headerValue, type RawRequest } from '../http/request.ts'
import type { OwnBytes } from '../http/response.ts'

/** An object in memory. */
export interface StoredObject {
  readonly body: OwnBytes
  /** The type, the encoding and the metadata that the object was put with, and is returned with. */
  readonly headers: Readonly<Record<string, string>>
  /** Quoted, as it stands in the header. */
  readonly etag: string
  readonly modifiedAt: number
}

/** An upload whose parts come one by one. */
export interface MultipartUpload {
  readonly id: string
  readonly key: string
  readonly headers: StoredObject['headers']
  /** The header of the checksum that each part must bring; `undefined` if none has to. */
  readonly checksum: string | undefined
  readonly startedAt: number
  readonly parts: Map<number, UploadedPart>
}

/** A part that came. */
export interface UploadedPart extends Pick<StoredObject, 'body' | 'etag' | 'modifiedAt'> {
  readonly number: number
}

/** Objects by key. A key is a byte string, so that any bytes can be one. */
export interface ObjectStore {
  /** `etag` is {@link entityTag} unless it is given. */
  put(
    key: string,
    body: Uint8Array,
    headers: StoredObject['headers'],
    now: number,
    etag?: string,
  ): StoredObject
  get(key: string): StoredObject | undefined
  delete(key: string): void
  /** Returns every object, in the order of the bytes of its key. */
  all(): [key: string, stored: StoredObject][]
  /** Uploads that are neither complete nor aborted, by their IDs. */
  readonly uploads: Map<string, MultipartUpload>
  clear(): void
}

/** Creates an empty store. */
export function createObjectStore(): ObjectStore {
  const objects = new Map<string, StoredObject>()
  const uploads = new Map<string, MultipartUpload>()
  return {
    uploads,
    put(key, body, headers, now, etag = entityTag(body)) {
      const stored: StoredObject = {
        body: new Uint8Array(body),
        headers,
        etag,
        modifiedAt: now,
      }
      objects.set(key, stored)
      return stored
    },
    get: (key) => objects.get(key),
    delete: (key) => void objects.delete(key),
    all: () => [...objects].toSorted(([left], [right]) => (left < right ? -1 : 1)),
    clear() {
      objects.clear()
      uploads.clear()
    },
  }
}

/** Returns the entity tag of a body that came in one piece. */
export function entityTag(body: Uint8Array): string {
  return `"${createHash('md5').update(body).digest('hex')}"`
}

const storedNames: ReadonlySet<string> = new Set([
  'cache-control',
  'content-disposition',
  'content-language',
  'content-type',
  'expires',
])

/** Selects the headers of a request that belong to the object it puts. */
export function storedHeaders(request: RawRequest): StoredObject['headers'] {
  const names = request.rawHeaders
    .map(([name]) => name.toLowerCase())
    .filter((name) => storedNames.has(name) || name.startsWith('x-amz-meta-'))
  const headers = names.map((name) => [name, headerValue(request, name) ?? ''] as const)
  const encoding = objectEncoding(headerValue(request, 'content-encoding') ?? '')
  return {
    'content-type': 'application/octet-stream',
    ...Object.fromEntries(headers.filter(([, value]) => canBeSent(value))),
    ...(encoding === '' ? {} : { 'content-encoding': encoding }),
  }
}

// `aws-chunked` is the framing of one request and no part of the object.
function objectEncoding(contentEncoding: string): string {
  return contentEncoding
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding.toLowerCase() !== 'aws-chunked')
    .join(', ')
}

// Node's parser lets through values that its writer throws on.
function canBeSent(value: string): boolean {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(value)
}

/** Returns the headers of a response that brings an object. */
export function objectHeaders(stored: StoredObject): Record<string, string> {
  return {
    ...stored.headers,
    etag: stored.etag,
    'last-modified': new Date(stored.modifiedAt).toUTCString(),
    'accept-ranges': 'bytes',
  }
}

/** The part of a body that a `Range` header asks for. `end` is exclusive. */
type ByteRange =
  | { readonly kind: 'whole' }
  | { readonly kind: 'part'; readonly start: number; readonly end: number }
  | { readonly kind: 'unsatisfiable' }

/**
 * Reads a `Range` header against a body of `size` bytes. Several ranges, and other units than bytes,
 * are ignored, as RFC 9110 lets a server do.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-14.2
 */
export function readByteRange(header: string | undefined, size: number): ByteRange {
  const parts = /^bytes=(\d*)-(\d*)$/i.exec(header?.trim() ?? '')
  const [, first = '', last = ''] = parts ?? []
  if (first === '' && last === '') return { kind: 'whole' }
  if (first === '') {
    const length = Math.min(Number(last), size)
    if (length === 0) return { kind: 'unsatisfiable' }
    return { kind: 'part', start: size - length, end: size }
  }
  const start = Number(first)
  if (last !== '' && Number(last) < start) return { kind: 'whole' }
  if (start >= size) return { kind: 'unsatisfiable' }
  return { kind: 'part', start, end: last === '' ? size : Math.min(Number(last) + 1, size) }
}
