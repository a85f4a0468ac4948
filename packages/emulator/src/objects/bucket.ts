import { headerValue, type RawRequest } from '../http/request.ts'
import {
  type Answer,
  emptyAnswer,
  jsonAnswer,
  methodNotAllowed,
  xmlAnswer,
  xmlElements,
  xmlErrorAnswer,
} from '../http/response.ts'
import { textOfBytes, uriEncode } from '../sigv4/canonical-request.ts'
import type { ObjectSpace, StoredObject } from './store.ts'

const namespace = 'xmlns="http://s3.amazonaws.com/doc/2006-03-01/"'
const maxPage = 1000

/** The bucket itself: whether it is there, where it is, and what is in it. */
export function bucketRoutes(
  request: RawRequest,
  query: ReadonlyMap<string, string>,
  region: string,
  objects: ObjectSpace,
): Answer {
  if (request.method === 'HEAD') return emptyAnswer(200, { 'x-amz-bucket-region': region })
  if (request.method !== 'GET') return methodNotAllowed('GET, HEAD, POST')
  if (query.has('location')) {
    // The first region of all is the one without a name.
    const name = region === 'us-east-1' ? '' : region
    return xmlAnswer(`<LocationConstraint ${namespace}>${name}</LocationConstraint>`)
  }
  const asked = readListQuery(query)
  if (asked === undefined) {
    return invalid('Provided max-keys not an integer or within integer range')
  }
  const page = listObjects(objects, asked)
  if (headerValue(request, 'accept')?.includes('application/json') === true) {
    return jsonAnswer(
      200,
      page.objects.map(([key]) => `/V1/${encodeKey(key)}`),
    )
  }
  return xmlAnswer(
    `<ListBucketResult ${namespace}>${listing(query, asked, page)}</ListBucketResult>`,
  )
}

function readListQuery(query: ReadonlyMap<string, string>): ListQuery | undefined {
  const maxKeys = query.get('max-keys') ?? String(maxPage)
  if (!/^\d{1,9}$/.test(maxKeys)) return undefined
  const token = query.get('continuation-token')
  return {
    prefix: query.get('prefix') ?? '',
    delimiter: query.get('delimiter') ?? '',
    after:
      token === undefined
        ? (query.get(query.get('list-type') === '2' ? 'start-after' : 'marker') ?? '')
        : Buffer.from(token, 'base64url').toString('latin1'),
    maxKeys: Math.min(Number(maxKeys), maxPage),
  }
}

function listing(query: ReadonlyMap<string, string>, asked: ListQuery, page: ListPage): string {
  const isEncoded = query.get('encoding-type') === 'url'
  const written = (key: string) => (isEncoded ? encodeKey(key) : textOfBytes(key))
  const { objects, commonPrefixes, next } = page
  const head: [element: string, text: string][] = [
    ['Name', 'V1'],
    ['Prefix', written(asked.prefix)],
    ['MaxKeys', String(asked.maxKeys)],
    ['IsTruncated', String(next !== undefined)],
  ]
  if (asked.delimiter !== '') head.push(['Delimiter', written(asked.delimiter)])
  if (isEncoded) head.push(['EncodingType', 'url'])
  if (query.get('list-type') === '2') {
    head.push(['KeyCount', String(objects.length + commonPrefixes.length)])
    const token = next === undefined ? '' : Buffer.from(next, 'latin1').toString('base64url')
    if (token !== '') head.push(['NextContinuationToken', token])
  } else {
    head.push(['Marker', written(asked.after)])
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

function encodeKey(key: string): string {
  return key.split('/').map(uriEncode).join('/')
}

function invalid(message: string): Answer {
  return xmlErrorAnswer(400, [
    ['Code', 'InvalidArgument'],
    ['Message', message],
  ])
}

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
