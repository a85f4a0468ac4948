import { emptyAnswer, jsonAnswer, xmlErrorAnswer, type Answer } from './answer.ts'
import { readByteRange } from './byte-range.ts'
import { canonicalPath } from './canonical-path.ts'
import type { ObjectSpace, StoredObject } from './object-space.ts'
import { headerValue, splitTarget, type RawRequest } from './raw-request.ts'

/**
 * The object space under `/V1/`, for requests whose signature is good. The interface shows a signed
 * request to `/V1/` and nothing of its method or answer, so all of this is an assumption.
 */
export function objectRoutes(request: RawRequest, objects: ObjectSpace, now: number): Answer {
  const key = canonicalPath(splitTarget(request.target).path)
  const isList = key.endsWith('/')
  switch (request.method) {
    case 'POST':
      return jsonAnswer(200, {
        method: request.method,
        path: key,
        bytes: request.body.byteLength,
      })
    case 'GET':
    case 'HEAD':
      return isList ? jsonAnswer(200, objects.list(key)) : getObject(request, key, objects)
    case 'PUT':
      if (isList) break
      return putObject(request, key, objects, now)
    case 'DELETE':
      if (isList) break
      objects.delete(key)
      return emptyAnswer(204)
  }
  return xmlErrorAnswer(
    405,
    [
      ['Code', 'MethodNotAllowed'],
      ['Message', 'The specified method is not allowed against this resource.'],
    ],
    { allow: isList ? 'GET, HEAD, POST' : 'GET, HEAD, PUT, POST, DELETE' },
  )
}

function putObject(request: RawRequest, key: string, objects: ObjectSpace, now: number): Answer {
  const contentType = headerValue(request, 'content-type') ?? 'application/octet-stream'
  const stored = objects.put(key, request.body, contentType, now)
  return emptyAnswer(200, { etag: stored.etag })
}

function getObject(request: RawRequest, key: string, objects: ObjectSpace): Answer {
  const stored = objects.get(key)
  if (stored === undefined) {
    return xmlErrorAnswer(404, [
      ['Code', 'NoSuchKey'],
      ['Message', 'The specified key does not exist.'],
      ['Key', key],
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

function objectHeaders(stored: StoredObject): Record<string, string> {
  return {
    'content-type': stored.contentType,
    etag: stored.etag,
    'last-modified': new Date(stored.modifiedAt).toUTCString(),
    'accept-ranges': 'bytes',
  }
}
