import { emptyResponse, type EmulatorResponse } from './response.ts'
import { headerValue, type RawRequest } from './request.ts'

/** Tells if a browser asks permission to send the real request. */
export function isPreflight(request: RawRequest): boolean {
  return (
    request.method === 'OPTIONS' &&
    headerValue(request, 'origin') !== undefined &&
    headerValue(request, 'access-control-request-method') !== undefined
  )
}

/** Allows whatever a preflight asks for. */
export function preflightResponse(request: RawRequest): EmulatorResponse {
  const methods = headerValue(request, 'access-control-request-method') ?? ''
  const headers = headerValue(request, 'access-control-request-headers')
  return emptyResponse(204, {
    // A wildcard would not cover `authorization` (Fetch standard, section 3.3.3).
    'access-control-allow-methods': methods,
    ...(headers === undefined ? {} : { 'access-control-allow-headers': headers }),
    'access-control-max-age': '600',
  })
}

const exposedHeaders = [
  'Accept-Ranges',
  'Allow',
  'Content-Length',
  'Content-Range',
  'Content-Type',
  'Date',
  'ETag',
  'Last-Modified',
  'Location',
  'Retry-After',
]

/** Returns the headers that let a page of any origin read a response, each `x-amz-` header included. */
export function corsHeaders({ headers }: EmulatorResponse): Record<string, string> {
  const amazon = Object.keys(headers).filter((name) => name.startsWith('x-amz-'))
  return {
    'access-control-allow-origin': '*',
    'access-control-expose-headers': [...exposedHeaders, ...amazon].join(', '),
  }
}
