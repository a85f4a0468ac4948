import type { OutgoingBody } from '@svc/types'
import type { OutgoingHeaders } from './headers.ts'

/** The length of a body as a header to set; one whose length is not known has none. */
export function contentLength({
  size,
}: Pick<OutgoingBody, 'size'>): readonly [name: string, value: string | null] {
  return ['content-length', size === undefined ? null : `${size}`]
}

/** Headers with the content type that a body brings, where the caller named none. */
export function withContentType(
  headers: OutgoingHeaders,
  body: Pick<OutgoingBody, 'contentType'> | undefined,
): OutgoingHeaders {
  if (!body?.contentType || headers.has('content-type')) return headers
  return headers.with([['content-type', body.contentType]])
}
