import { headerValue, type RawRequest, splitTarget } from '../http/request.ts'
import {
  type EmulatorResponse,
  emptyResponse,
  jsonResponse,
  methodNotAllowed,
  type RouteResult,
  xmlErrorResponse,
} from '../http/response.ts'
import { decodeUtf8, encodePath, queryParameters } from '../sigv4/canonical-request.ts'
import type { VerifySettings } from '../sigv4/options.ts'
import { rejectionElements } from '../sigv4/result.ts'
import { verifyRequest } from '../sigv4/verify.ts'
import { bucketRoutes } from './bucket.ts'
import { multipartRoutes } from './multipart.ts'
import { isFormUpload, postObject } from './post.ts'
import { objectHeaders, type ObjectStore, readByteRange, storedHeaders } from './store.ts'

/** Routes everything outside `/user`: the signature is verified, whatever the path. */
export function signedRoutes(
  request: RawRequest,
  path: string,
  settings: Omit<VerifySettings, 'service' | 'maxSkewMs' | 'clock'>,
  objects: ObjectStore,
  now: number,
  requestId: string,
): RouteResult {
  if (isFormUpload(request, path)) {
    const { response, ...signer } = postObject(request, settings, objects, now)
    const auth = { scheme: 'sigv4' as const, ok: signer.code === undefined, ...signer }
    return { response: withRequestId(response, requestId), auth }
  }
  const verification = verifyRequest(request, {
    ...settings,
    service: 's3',
    maxSkewMs: 15 * 60 * 1000,
    clock: () => now,
  })
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
    const response =
      objectRoutes({ ...request, body }, path, settings.region, objects, now) ??
      noSuchResource(resource)
    return { response: withRequestId(response, requestId), auth }
  }
  const response = xmlErrorResponse(verification.status, [
    ...rejectionElements(verification),
    ['Resource', resource],
    ['RequestId', requestId],
  ])
  return {
    response: withRequestId(response, requestId),
    auth: { ...auth, code: verification.code },
  }
}

function withRequestId(response: EmulatorResponse, requestId: string): EmulatorResponse {
  return { ...response, headers: { ...response.headers, 'x-amz-request-id': requestId } }
}

function noSuchResource(resource: string): EmulatorResponse {
  return xmlErrorResponse(404, [
    ['Code', 'NoSuchResource'],
    ['Message', 'There is nothing at this path: objects are below /V1.'],
    ['Resource', resource],
  ])
}

/**
 * Routes requests under `/V1/` whose signature is good: one bucket of an object store, addressed in
 * path style. `undefined` outside it. The interface shows a signed request to `/V1/`, but neither its
 * method nor its response, so all of this is an assumption.
 */
export function objectRoutes(
  request: RawRequest,
  path: string,
  region: string,
  objects: ObjectStore,
  now: number,
): EmulatorResponse | undefined {
  if (path !== '/V1' && !path.startsWith('/V1/')) return undefined
  const query = new Map(queryParameters(splitTarget(request.target).query))
  const unsupported = findUnsupported(request, query)
  if (unsupported !== undefined) return notImplemented(unsupported)
  const key = path.slice('/V1/'.length)
  const multipart = multipartRoutes(request, key, query, objects, now)
  if (multipart !== undefined) return multipart
  if (request.method === 'POST') {
    return jsonResponse(200, {
      method: 'POST',
      path: encodePath(path),
      bytes: request.body.byteLength,
    })
  }
  if (key === '') return bucketRoutes(request, query, region, objects)
  switch (request.method) {
    case 'GET':
    case 'HEAD':
      return getObject(request, key, objects)
    case 'PUT':
      return emptyResponse(200, {
        etag: objects.put(key, request.body, storedHeaders(request), now).etag,
      })
    case 'DELETE':
      objects.delete(key)
      return emptyResponse(204)
  }
  return methodNotAllowed('GET, HEAD, PUT, POST, DELETE')
}

function getObject(request: RawRequest, key: string, objects: ObjectStore): EmulatorResponse {
  const stored = objects.get(key)
  if (stored === undefined) {
    return xmlErrorResponse(404, [
      ['Code', 'NoSuchKey'],
      ['Message', 'The specified key does not exist.'],
      ['Key', decodeUtf8(key)],
    ])
  }
  const headers = objectHeaders(stored)
  const size = stored.body.byteLength
  // A range is defined for GET alone (RFC 9110, section 14.2).
  const rangeHeader = request.method === 'GET' ? headerValue(request, 'range') : undefined
  const range = readByteRange(rangeHeader, size)
  if (range.kind === 'unsatisfiable') {
    return xmlErrorResponse(
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
    body: stored.body.subarray(range.start, range.end),
  }
}

// To S3 these are no plain put, get, list or delete, and a client must not take them for one.
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
  'versioning',
  'versions',
  'website',
]

function findUnsupported(
  request: RawRequest,
  query: ReadonlyMap<string, string>,
): string | undefined {
  const isCopy = headerValue(request, 'x-amz-copy-source') !== undefined
  return isCopy ? 'x-amz-copy-source' : subresources.find((name) => query.has(name))
}

function notImplemented(unsupported: string): EmulatorResponse {
  return xmlErrorResponse(501, [
    ['Code', 'NotImplemented'],
    ['Message', `The emulator does not support ${unsupported}.`],
  ])
}
