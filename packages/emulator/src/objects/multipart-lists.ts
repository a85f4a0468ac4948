import { type EmulatorResponse, storeResponse, xmlElements } from '../http/response.ts'
import { decodeUtf8 } from '../sigv4/canonical-request.ts'
import type { MultipartUpload, ObjectStore } from './store.ts'

const maxPage = 1000

/** Lists the parts of an upload that came, by pages. */
export function listParts(
  upload: MultipartUpload,
  query: ReadonlyMap<string, string>,
): EmulatorResponse {
  const { id, key, parts } = upload
  const after = readNumber(query.get('part-number-marker') ?? '') ?? 0
  const most = Math.min(readNumber(query.get('max-parts') ?? '') ?? maxPage, maxPage)
  const rest = [...parts.values()]
    .filter(({ number }) => number > after)
    .toSorted((one, other) => one.number - other.number)
  const page = rest.slice(0, most)
  const head = xmlElements([
    ['Bucket', 'V1'],
    ['Key', decodeUtf8(key)],
    ['UploadId', id],
    ['PartNumberMarker', String(after)],
    ['NextPartNumberMarker', String(page.at(-1)?.number ?? 0)],
    ['MaxParts', String(most)],
    ['IsTruncated', String(page.length < rest.length)],
    ['StorageClass', 'STANDARD'],
  ])
  const listed = page.map(({ number, etag, body, modifiedAt }) =>
    xmlElements([
      ['PartNumber', String(number)],
      ['LastModified', new Date(modifiedAt).toISOString()],
      ['ETag', etag],
      ['Size', String(body.byteLength)],
    ]),
  )
  const text = listed.map((part) => `<Part>${part}</Part>`).join('')
  return storeResponse('ListPartsResult', `${head}${text}`)
}

/** Lists the uploads that are neither complete nor aborted, by pages. */
export function listUploads(
  query: ReadonlyMap<string, string>,
  { uploads }: ObjectStore,
): EmulatorResponse {
  const prefix = query.get('prefix') ?? ''
  const most = Math.min(readNumber(query.get('max-uploads') ?? '') ?? maxPage, maxPage)
  const [keyMarker, idMarker] = [query.get('key-marker') ?? '', query.get('upload-id-marker') ?? '']
  const rest = [...uploads.values()]
    .filter(({ key }) => key.startsWith(prefix))
    .filter(
      ({ key, id }) => key > keyMarker || (key === keyMarker && idMarker < id && idMarker !== ''),
    )
    .toSorted((one, other) => (`${one.key}\n${one.id}` < `${other.key}\n${other.id}` ? -1 : 1))
  const page = rest.slice(0, most)
  const last = page.length < rest.length ? page.at(-1) : undefined
  const head = xmlElements([
    ['Bucket', 'V1'],
    ['KeyMarker', decodeUtf8(keyMarker)],
    ['UploadIdMarker', idMarker],
    ['NextKeyMarker', decodeUtf8(last?.key ?? '')],
    ['NextUploadIdMarker', last?.id ?? ''],
    ['MaxUploads', String(most)],
    ['IsTruncated', String(last !== undefined)],
  ])
  const listed = page.map(({ key, id, startedAt }) =>
    xmlElements([
      ['Key', decodeUtf8(key)],
      ['UploadId', id],
      ['StorageClass', 'STANDARD'],
      ['Initiated', new Date(startedAt).toISOString()],
    ]),
  )
  const text = listed.map((upload) => `<Upload>${upload}</Upload>`).join('')
  return storeResponse('ListMultipartUploadsResult', `${head}${text}`)
}

/** Reads a number of up to nine digits; `undefined` for anything else. */
export function readNumber(text: string): number | undefined {
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined
}
