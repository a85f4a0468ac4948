import { headerValue, type RawRequest, splitTarget } from '../http/request.ts'
import {
  type Answer,
  emptyAnswer,
  jsonAnswer,
  methodNotAllowed,
  type Outcome,
  refusalElements,
  xmlErrorAnswer,
} from '../http/response.ts'
import type { EmulatorSettings } from '../options.ts'
import { canonicalPath, queryParameters, textOfBytes } from '../sigv4/canonical-request.ts'
import { verifySigV4 } from '../sigv4/verify.ts'
import { bucketRoutes } from './bucket.ts'
import { objectHeaders, type ObjectSpace, readByteRange, storedHeaders } from './store.ts'

/** Everything outside `/user`: the signature is verified, whatever the path. */
export async function signedRoutes(
  request: RawRequest,
  path: string,
  settings: EmulatorSettings,
  objects: ObjectSpace,
  now: number,
  requestId: string,
): Promise<Outcome> {
  const verification = await verifySigV4(request, { ...settings, clock: () => now })
  const { accessKeyId, signedHeaders } = verification
  const auth = {
    scheme: 'sigv4' as const,
    ok: verification.ok,
    ...(accessKeyId === undefined ? {} : { accessKeyId }),
    ...(signedHeaders === undefined ? {} : { signedHeaders }),
  }
  const resource = splitTarget(request.target).path
  if (verification.ok) {
    const { body } = verification
    const answer =
      objectRoutes({ ...request, body }, path, settings.region, objects, now) ?? nothing(resource)
    return { answer: withRequestId(answer, requestId), auth }
  }
  const answer = xmlErrorAnswer(verification.status, [
    ...refusalElements(verification),
    ['Resource', resource],
    ['RequestId', requestId],
  ])
  return { answer: withRequestId(answer, requestId), auth: { ...auth, code: verification.code } }
}

function withRequestId(answer: Answer, requestId: string): Answer {
  return { ...answer, headers: { ...answer.headers, 'x-amz-request-id': requestId } }
}

function nothing(resource: string): Answer {
  return xmlErrorAnswer(404, [
    ['Code', 'NoSuchResource'],
    ['Message', 'There is nothing at this path.'],
    ['Resource', resource],
  ])
}

/**
 * The object space under `/V1/`, for requests whose signature is good: one bucket of an object
 * store, addressed in path style. `undefined` outside it. The interface shows a signed request to
 * `/V1/` and nothing of its method or answer, so all of this is an assumption.
 */
export function objectRoutes(
  request: RawRequest,
  path: string,
  region: string,
  objects: ObjectSpace,
  now: number,
): Answer | undefined {
  if (path !== '/V1' && !path.startsWith('/V1/')) return undefined
  const query = new Map(queryParameters(splitTarget(request.target).query))
  const unknown = notImplemented(request, query)
  if (unknown !== undefined) return unknown
  if (request.method === 'POST') {
    return jsonAnswer(200, {
      method: 'POST',
      path: canonicalPath(splitTarget(request.target).path),
      bytes: request.body.byteLength,
    })
  }
  const key = path.slice('/V1/'.length)
  if (key === '') return bucketRoutes(request, query, region, objects)
  switch (request.method) {
    case 'GET':
    case 'HEAD':
      return getObject(request, key, objects)
    case 'PUT':
      return emptyAnswer(200, {
        etag: objects.put(key, request.body, storedHeaders(request), now).etag,
      })
    case 'DELETE':
      objects.delete(key)
      return emptyAnswer(204)
  }
  return methodNotAllowed('GET, HEAD, PUT, POST, DELETE')
}

// What S3 does with these is no plain put, get, list or delete, and a client must not take it for one.
const subresources = [
  'accelerate',
  'acl',
  'attributes',
  'cors',
  'delete',
  'encryption',
  'legal-hold',
  'lifecycle',
  'logging',
  'notification',
  'object-lock',
  'ownershipControls',
  'policy',
  'publicAccessBlock',
  'replication',
  'requestPayment',
  'restore',
  'retention',
  'tagging',
  'torrent',
  'uploadId',
  'uploads',
  'versioning',
  'versions',
  'website',
]

function notImplemented(
  request: RawRequest,
  query: ReadonlyMap<string, string>,
): Answer | undefined {
  const isCopy = headerValue(request, 'x-amz-copy-source') !== undefined
  const unknown = isCopy ? 'x-amz-copy-source' : subresources.find((name) => query.has(name))
  if (unknown === undefined) return undefined
  return xmlErrorAnswer(501, [
    ['Code', 'NotImplemented'],
    ['Message', `The emulator does not support ${unknown}.`],
  ])
}

function getObject(request: RawRequest, key: string, objects: ObjectSpace): Answer {
  const stored = objects.get(key)
  if (stored === undefined) {
    return xmlErrorAnswer(404, [
      ['Code', 'NoSuchKey'],
      ['Message', 'The specified key does not exist.'],
      ['Key', textOfBytes(key)],
    ])
  }
  const headers = objectHeaders(stored)
  const size = stored.body.byteLength
  // A range is defined for GET alone (RFC 9110, section 14.2).
  const asked = request.method === 'GET' ? headerValue(request, 'range') : undefined
  const range = readByteRange(asked, size)
  if (range.kind === 'unsatisfiable') {
    return xmlErrorAnswer(
      416,
      [
        ['Code', 'InvalidRange'],
        ['Message', 'The requested range is not satisfiable'],
      ],
      { 'content-range': `bytes */${size}` },
    )
  }
  if (range.kind === 'whole') return { status: 200, headers, body: stored.body }
  return {
    status: 206,
    headers: { ...headers, 'content-range': `bytes ${range.start}-${range.end - 1}/${size}` },
    body: stored.body.slice(range.start, range.end),
  }
}
