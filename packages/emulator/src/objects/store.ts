import { headerValue, type RawRequest } from '../http/request.ts'
import type { StoredObject } from './object-space.ts'

const kept: ReadonlySet<string> = new Set([
  'cache-control',
  'content-disposition',
  'content-language',
  'content-type',
  'expires',
])

/** The headers of a request that belong to the object it puts. */
export function storedHeaders(request: RawRequest): StoredObject['headers'] {
  const names = request.rawHeaders
    .map(([name]) => name.toLowerCase())
    .filter((name) => kept.has(name) || name.startsWith('x-amz-meta-'))
  const headers = names.map((name) => [name, headerValue(request, name) ?? ''] as const)
  const encoding = objectEncoding(headerValue(request, 'content-encoding') ?? '')
  return {
    'content-type': 'application/octet-stream',
    ...Object.fromEntries(headers.filter(([, value]) => canBeSent(value))),
    ...(encoding === '' ? {} : { 'content-encoding': encoding }),
  }
}

/** The headers that an object is answered with. */
export function objectHeaders(stored: StoredObject): Record<string, string> {
  return {
    ...stored.headers,
    etag: stored.etag,
    'last-modified': new Date(stored.modifiedAt).toUTCString(),
    'accept-ranges': 'bytes',
  }
}

// `aws-chunked` is the framing of one request and no part of the object.
function objectEncoding(contentEncoding: string): string {
  return contentEncoding
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding.toLowerCase() !== 'aws-chunked')
    .join(', ')
}

// Node's parser lets through what its writer refuses.
function canBeSent(value: string): boolean {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(value)
}
