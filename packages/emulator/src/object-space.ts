import { createHash } from 'node:crypto'

/** An object of the in-memory object space. */
export interface StoredObject {
  readonly body: Uint8Array<ArrayBuffer>
  readonly contentType: string
  /** Quoted, as it stands in the header. */
  readonly etag: string
  readonly modifiedAt: number
}

/** Objects by key. A key is a canonical path, so that any bytes can be one. */
export interface ObjectSpace {
  put(key: string, body: Uint8Array, contentType: string, now: number): StoredObject
  get(key: string): StoredObject | undefined
  delete(key: string): void
  /** The keys that begin with `prefix`, in order. */
  list(prefix: string): string[]
  clear(): void
}

/** An object space with nothing in it. */
export function createObjectSpace(): ObjectSpace {
  const objects = new Map<string, StoredObject>()
  return {
    put(key, body, contentType, now) {
      const stored: StoredObject = {
        body: new Uint8Array(body),
        contentType,
        etag: `"${createHash('md5').update(body).digest('hex')}"`,
        modifiedAt: now,
      }
      objects.set(key, stored)
      return stored
    },
    get: (key) => objects.get(key),
    delete: (key) => void objects.delete(key),
    list: (prefix) => [...objects.keys()].filter((key) => key.startsWith(prefix)).toSorted(),
    clear: () => objects.clear(),
  }
}
