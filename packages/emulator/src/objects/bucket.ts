import {
  emptyAnswer,
  jsonAnswer,
  methodNotAllowed,
  xmlAnswer,
  xmlErrorAnswer,
  type Answer,
} from '../http/response.ts'
import { listObjects, type ListPage, type ListQuery } from './list-objects.ts'
import type { ObjectSpace } from './object-space.ts'
import { textOfBytes, uriEncode } from '../sigv4/percent-encoding.ts'
import { headerValue, type RawRequest } from '../http/request.ts'
import { xmlElements } from '../http/xml.ts'

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
