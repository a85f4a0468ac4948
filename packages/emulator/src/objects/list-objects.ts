import type { ObjectSpace, StoredObject } from './object-space.ts'

/** What a listing asks for. All strings are byte strings. */
export interface ListQuery {
  readonly prefix: string
  /** Empty for none: what lies behind it is rolled up into one common prefix. */
  readonly delimiter: string
  /** The listing begins behind this key or common prefix. */
  readonly after: string
  readonly maxKeys: number
}

/** One page of a listing, in order. */
export interface ListPage {
  readonly objects: readonly (readonly [key: string, stored: StoredObject])[]
  readonly commonPrefixes: readonly string[]
  /** Where the next page begins; `undefined` on the last one. */
  readonly next: string | undefined
}

/**
 * One page of the objects below a prefix.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html
 */
export function listObjects(space: ObjectSpace, query: ListQuery): ListPage {
  const { prefix, delimiter, after, maxKeys } = query
  const objects: [string, StoredObject][] = []
  const commonPrefixes: string[] = []
  let last = after
  for (const [key, stored] of space.all()) {
    if (!key.startsWith(prefix)) continue
    const mark = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length)
    const entry = mark === -1 ? key : key.slice(0, mark + delimiter.length)
    // The keys of one common prefix follow each other, so `last` is enough to give it once.
    if (entry <= last) continue
    if (objects.length + commonPrefixes.length === maxKeys) {
      return { objects, commonPrefixes, next: maxKeys === 0 ? undefined : last }
    }
    if (mark === -1) objects.push([key, stored])
    else commonPrefixes.push(entry)
    last = entry
  }
  return { objects, commonPrefixes, next: undefined }
}
