import { createHash } from 'node:crypto'
import type { OwnBytes } from '../http/own-bytes.ts'

/** An object of the in-memory object space. */
export interface StoredObject {
  readonly body: OwnBytes
  /** What the object was put with and is answered with: its type, its encoding, its metadata. */
  readonly headers: Readonly<Record<string, string>>
  /** Quoted, as it stands in the header. */
  readonly etag: string
  readonly modifiedAt: number
}

/** Objects by key. A key is a byte string, so that any bytes can be one. */
export interface ObjectSpace {
  put(key: string, body: Uint8Array, headers: StoredObject['headers'], now: number): StoredObject
  get(key: string): StoredObject | undefined
  delete(key: string): void
  /** Every object, in the order of the bytes of its key. */
  all(): [key: string, stored: StoredObject][]
  clear(): void
}

/** An object space with nothing in it. */
export function createObjectSpace(): ObjectSpace {
  const objects = new Map<string, StoredObject>()
  return {
    put(key, body, headers, now) {
      const stored: StoredObject = {
        body: new Uint8Array(body),
        headers,
        etag: `"${createHash('md5').update(body).digest('hex')}"`,
        modifiedAt: now,
      }
      objects.set(key, stored)
      return stored
    },
    get: (key) => objects.get(key),
    delete: (key) => void objects.delete(key),
    all: () => [...objects].toSorted(([left], [right]) => (left < right ? -1 : 1)),
    clear: () => objects.clear(),
  }
}
