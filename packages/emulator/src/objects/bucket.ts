import { headerValue, type RawRequest } from '../http/request.ts'
import {
  type EmulatorResponse,
  emptyResponse,
  jsonResponse,
  methodNotAllowed,
  xmlElements,
  xmlErrorResponse,
  storeResponse,
} from '../http/response.ts'
import { decodeUtf8, encodePath } from '../sigv4/canonical-request.ts'
import type { ObjectStore, StoredObject } from './store.ts'

const maxPageKeys = 1000

/** Routes a request to the bucket itself: its existence, its region, and a listing of its objects. */
export function bucketRoutes(
  request: RawRequest,
  query: ReadonlyMap<string, string>,
  region: string,
  objects: ObjectStore,
): EmulatorResponse {
  if (request.method === 'HEAD') return emptyResponse(200, { 'x-amz-bucket-region': region })
  if (request.method !== 'GET') return methodNotAllowed('GET, HEAD, POST')
  if (query.has('location')) {
    // The first region of all is the one without a name.
    const name = region === 'us-east-1' ? '' : region
    return storeResponse('LocationConstraint', name)
  }
  const listQuery = readListQuery(query)
  if (listQuery === undefined) {
    return xmlErrorResponse(400, [
      ['Code', 'InvalidArgument'],
      ['Message', 'Provided max-keys not an integer or within integer range'],
    ])
  }
  const page = listObjects(objects, listQuery)
  if (headerValue(request, 'accept')?.includes('application/json') === true) {
    return jsonResponse(
      200,
      page.objects.map(([key]) => `/V1/${encodePath(key)}`),
    )
  }
  const listing = writeListing(query, listQuery, page)
  return storeResponse('ListBucketResult', listing)
}

/** The parameters of a listing. All strings are byte strings. */
interface ListQuery {
  readonly prefix: string
  /** The end of a common prefix, into which all keys behind it are rolled up; empty for none. */
  readonly delimiter: string
  /** The listing begins behind this key or common prefix. */
  readonly after: string
  readonly maxKeys: number
}

function readListQuery(query: ReadonlyMap<string, string>): ListQuery | undefined {
  const maxKeys = query.get('max-keys') ?? String(maxPageKeys)
  if (!/^\d{1,9}$/.test(maxKeys)) return undefined
  const token = query.get('continuation-token')
  return {
    prefix: query.get('prefix') ?? '',
    delimiter: query.get('delimiter') ?? '',
    after:
      token === undefined
        ? (query.get(query.get('list-type') === '2' ? 'start-after' : 'marker') ?? '')
        : Buffer.from(token, 'base64url').toString('latin1'),
    maxKeys: Math.min(Number(maxKeys), maxPageKeys),
  }
}

/** One page of a listing, in order. */
interface ListPage {
  readonly objects: readonly (readonly [key: string, stored: StoredObject])[]
  readonly commonPrefixes: readonly string[]
  /** The start of the next page; `undefined` on the last one. */
  readonly next: string | undefined
}

// See https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html
function listObjects(store: ObjectStore, query: ListQuery): ListPage {
  const { prefix, delimiter, after, maxKeys } = query
  const objects: [string, StoredObject][] = []
  const commonPrefixes: string[] = []
  let last = after
  for (const [key, stored] of store.all()) {
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

function writeListing(
  query: ReadonlyMap<string, string>,
  listQuery: ListQuery,
  page: ListPage,
): string {
  const isEncoded = query.get('encoding-type') === 'url'
  const written = (key: string) => (isEncoded ? encodePath(key) : decodeUtf8(key))
  const { objects, commonPrefixes, next } = page
  const head: [element: string, text: string][] = [
    ['Name', 'V1'],
    ['Prefix', written(listQuery.prefix)],
    ['MaxKeys', String(listQuery.maxKeys)],
    ['IsTruncated', String(next !== undefined)],
  ]
  if (listQuery.delimiter !== '') head.push(['Delimiter', written(listQuery.delimiter)])
  if (isEncoded) head.push(['EncodingType', 'url'])
  if (query.get('list-type') === '2') {
    head.push(['KeyCount', String(objects.length + commonPrefixes.length)])
    const token = next === undefined ? '' : Buffer.from(next, 'latin1').toString('base64url')
    if (token !== '') head.push(['NextContinuationToken', token])
  } else {
    head.push(['Marker', written(listQuery.after)])
    if (next !== undefined) head.push(['NextMarker', written(next)])
  }
  const contents = objects.map(([key, stored]) =>
    xmlElements([
      ['Key', written(key)],
      ['LastModified', new Date(stored.modifiedAt).toISOString()],
      ['ETag', stored.etag],
      ['Size', String(stored.body.byteLength)],
      ['StorageClass', 'STANDARD'],
    ]),
  )
  return [
    xmlElements(head),
    ...contents.map((content) => `<Contents>${content}</Contents>`),
    ...commonPrefixes.map(
      (prefix) => `<CommonPrefixes>${xmlElements([['Prefix', written(prefix)]])}</CommonPrefixes>`,
    ),
  ].join('')
}
