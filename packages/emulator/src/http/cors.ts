import { emptyAnswer, type Answer } from './response.ts'
import { headerValue, type RawRequest } from './request.ts'

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

/** Whether a browser asks for leave to send the real request. */
export function isPreflight(request: RawRequest): boolean {
  return (
    request.method === 'OPTIONS' &&
    headerValue(request, 'origin') !== undefined &&
    headerValue(request, 'access-control-request-method') !== undefined
  )
}

/** Allows whatever a preflight asks for. */
export function answerPreflight(request: RawRequest): Answer {
  const methods = headerValue(request, 'access-control-request-method') ?? ''
  const headers = headerValue(request, 'access-control-request-headers')
  return emptyAnswer(204, {
    // A wildcard would not cover `authorization` (Fetch standard, section 3.3.3).
    'access-control-allow-methods': methods,
    ...(headers === undefined ? {} : { 'access-control-allow-headers': headers }),
    'access-control-max-age': '600',
  })
}

/** The headers that let a page of any origin read an answer, with every `x-amz-` header it has. */
export function corsHeaders({ headers }: Answer): Record<string, string> {
  const amazon = Object.keys(headers).filter((name) => name.startsWith('x-amz-'))
  return {
    'access-control-allow-origin': '*',
    'access-control-expose-headers': [...exposedHeaders, ...amazon].join(', '),
  }
}
