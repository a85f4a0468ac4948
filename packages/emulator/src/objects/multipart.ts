import { createHash, randomUUID } from 'node:crypto'
import { headerValue, type RawRequest } from '../http/request.ts'
import {
  type EmulatorResponse,
  emptyResponse,
  methodNotAllowed,
  xmlElements,
  xmlErrorResponse,
  storeResponse,
} from '../http/response.ts'
import { decodeUtf8 } from '../sigv4/canonical-request.ts'
import { checksumOf, isChecksumHeader } from '../sigv4/checksums.ts'
import { listParts, listUploads, readNumber } from './multipart-lists.ts'
import {
  entityTag,
  type MultipartUpload,
  type ObjectStore,
  storedHeaders,
  type UploadedPart,
} from './store.ts'

const minPartBytes = 5 * 1024 * 1024
const maxParts = 10_000

/**
 * Routes a request of a multipart upload; `undefined` for any other.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/mpuoverview.html
 */
export function multipartRoutes(
  request: RawRequest,
  key: string,
  query: ReadonlyMap<string, string>,
  objects: ObjectStore,
  now: number,
): EmulatorResponse | undefined {
  if (query.has('uploads')) {
    if (key === '') {
      return request.method === 'GET' ? listUploads(query, objects) : methodNotAllowed('GET')
    }
    return request.method === 'POST'
      ? createUpload(request, key, objects, now)
      : methodNotAllowed('POST')
  }
  const id = query.get('uploadId')
  if (id === undefined || key === '') return undefined
  const upload = objects.uploads.get(id)
  if (upload?.key !== key) {
    return failure(
      404,
      'NoSuchUpload',
      'The specified upload does not exist. The upload ID may be invalid, or the upload may have been aborted or completed.',
      [['UploadId', id]],
    )
  }
  switch (request.method) {
    case 'PUT':
      return putPart(request, upload, query.get('partNumber') ?? '', now)
    case 'POST':
      return completeUpload(request, upload, objects, now)
    case 'GET':
      return listParts(upload, query)
    case 'DELETE':
      objects.uploads.delete(id)
      return emptyResponse(204)
  }
  return methodNotAllowed('GET, PUT, POST, DELETE')
}

function createUpload(
  request: RawRequest,
  key: string,
  { uploads }: ObjectStore,
  now: number,
): EmulatorResponse {
  const algorithm = headerValue(request, 'x-amz-checksum-algorithm')?.toLowerCase()
  const checksum = algorithm === undefined ? undefined : `x-amz-checksum-${algorithm}`
  if (checksum !== undefined && !isChecksumHeader(checksum)) {
    return failure(
      400,
      'InvalidRequest',
      'Checksum algorithm provided is unsupported. Please try again with any of the valid types: [CRC32, CRC32C, CRC64NVME, SHA1, SHA256]',
    )
  }
  const id = randomUUID().replaceAll('-', '')
  const headers = storedHeaders(request)
  uploads.set(id, { id, key, headers, checksum, startedAt: now, parts: new Map() })
  const elements = xmlElements([
    ['Bucket', 'V1'],
    ['Key', decodeUtf8(key)],
    ['UploadId', id],
  ])
  return storeResponse('InitiateMultipartUploadResult', elements)
}

function putPart(
  request: RawRequest,
  { checksum, parts }: MultipartUpload,
  given: string,
  now: number,
): EmulatorResponse {
  const number = readNumber(given)
  if (number === undefined || number < 1 || number > maxParts) {
    const message = `Part number must be an integer between 1 and ${maxParts}, inclusive`
    return failure(400, 'InvalidArgument', message, [['ArgumentName', 'partNumber']])
  }
  // A checksum in the trailer was verified with it.
  const names = request.rawHeaders.map(([name]) => name.toLowerCase())
  const trailer = headerValue(request, 'x-amz-trailer')?.trim().toLowerCase() ?? ''
  const sent = [...names, trailer].find(isChecksumHeader)
  if (checksum !== undefined && sent !== checksum) {
    const type = (name = 'null'): string => name.replace('x-amz-checksum-', '')
    return failure(
      400,
      'InvalidRequest',
      `Checksum Type mismatch occurred, expected checksum Type: ${type(checksum)}, actual checksum Type: ${type(sent)}`,
    )
  }
  const body = new Uint8Array(request.body)
  const etag = entityTag(body)
  parts.set(number, { number, body, etag, modifiedAt: now })
  return emptyResponse(200, {
    etag,
    ...(sent !== undefined && { [sent]: checksumOf(sent, body) }),
  })
}

function completeUpload(
  request: RawRequest,
  upload: MultipartUpload,
  objects: ObjectStore,
  now: number,
): EmulatorResponse {
  const named = readNamedParts(Buffer.from(request.body).toString('latin1'))
  if (named === undefined) {
    return failure(
      400,
      'MalformedXML',
      'The XML you provided was not well-formed or did not validate against our published schema',
    )
  }
  if (named.some(({ number }, index) => index > 0 && number <= (named[index - 1]?.number ?? 0))) {
    return failure(
      400,
      'InvalidPartOrder',
      'The list of parts was not in ascending order. Parts must be ordered by part number.',
      [['UploadId', upload.id]],
    )
  }
  const parts: UploadedPart[] = []
  for (const { number, etag, checksums } of named) {
    const part = upload.parts.get(number)
    const isSame =
      part?.etag.replaceAll('"', '') === etag &&
      checksums.every(([name, value]) => checksumOf(name, part.body) === value)
    if (!part || !isSame) {
      return failure(
        400,
        'InvalidPart',
        "One or more of the specified parts could not be found. The part may not have been uploaded, or the specified entity tag may not match the part's entity tag.",
        [
          ['UploadId', upload.id],
          ['PartNumber', String(number)],
          ['ETag', etag],
        ],
      )
    }
    parts.push(part)
  }
  const small = parts.slice(0, -1).find(({ body }) => body.byteLength < minPartBytes)
  if (small) {
    return failure(
      400,
      'EntityTooSmall',
      'Your proposed upload is smaller than the minimum allowed size',
      [
        ['ProposedSize', String(small.body.byteLength)],
        ['MinSizeAllowed', String(minPartBytes)],
        ['PartNumber', String(small.number)],
        ['ETag', small.etag.replaceAll('"', '')],
      ],
    )
  }
  const digests = parts.map(({ etag }) => Buffer.from(etag.replaceAll('"', ''), 'hex'))
  const digest = createHash('md5').update(Buffer.concat(digests)).digest('hex')
  const etag = `"${digest}-${parts.length}"`
  const body = Buffer.concat(parts.map((part) => part.body))
  objects.put(upload.key, body, upload.headers, now, etag)
  objects.uploads.delete(upload.id)
  const elements = xmlElements([
    ['Location', `/V1/${decodeUtf8(upload.key)}`],
    ['Bucket', 'V1'],
    ['Key', decodeUtf8(upload.key)],
    ['ETag', etag],
  ])
  return storeResponse('CompleteMultipartUploadResult', elements)
}

/** A part as the request to complete an upload names it. */
interface NamedPart {
  readonly number: number
  /** Without its quotes. */
  readonly etag: string
  /** By the names of their headers. */
  readonly checksums: readonly (readonly [name: string, value: string])[]
}

/** Reads the parts of a `CompleteMultipartUpload`; `undefined` if it is none, or names no part. */
function readNamedParts(xml: string): NamedPart[] | undefined {
  if (!xml.includes('<CompleteMultipartUpload')) return undefined
  const parts: NamedPart[] = []
  for (const text of xml.split('<Part>').slice(1)) {
    const elements = new Map(
      Array.from(text.matchAll(/<(\w+)>([^<]*)</g), ([, name = '', value = '']) => [
        name,
        value.trim().replaceAll(/&quot;|&#34;|"/g, ''),
      ]),
    )
    const number = readNumber(elements.get('PartNumber') ?? '')
    const etag = elements.get('ETag')
    if (number === undefined || etag === undefined || parts.length === maxParts) return undefined
    const checksums = Array.from(elements, ([name, value]): [string, string] => [
      name.toLowerCase().replace(/^checksum/, 'x-amz-checksum-'),
      value,
    ])
    parts.push({ number, etag, checksums: checksums.filter(([name]) => isChecksumHeader(name)) })
  }
  return parts.length === 0 ? undefined : parts
}

function failure(
  status: number,
  code: string,
  message: string,
  more: readonly (readonly [element: string, text: string])[] = [],
): EmulatorResponse {
  return xmlErrorResponse(status, [['Code', code], ['Message', message], ...more])
}
