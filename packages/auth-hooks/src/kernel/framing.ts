import type { OutgoingBody } from '@svc/types'
import { bodyError, headerError } from '../kit/errors.ts'
import { countedBody, type SerializedBody } from './body.ts'
import type { OutgoingHeaders } from './headers.ts'

/**
 * Reads how the caller frames a body over HTTP/1.1. Bytes have a length of their own; a stream is counted against the
 * one that is announced, or is sent in chunks.
 *
 * @param line - Method and URL without a query, for messages.
 * @throws AuthError `ERR_AUTH_HEADER`, or `ERR_AUTH_BODY` for a stream with two frames: some servers read it by one
 * and some by the other, and take what is left for the next request on its connection.
 * @see https://www.rfc-editor.org/rfc/rfc9112#section-6.3
 */
export function readFraming(
  given: SerializedBody | undefined,
  headers: OutgoingHeaders,
  line: string,
): { readonly body: SerializedBody | undefined; readonly headers: OutgoingHeaders } {
  const encoding = headers.get('transfer-encoding')
  const announced = headers.get('content-length')
  if (encoding !== null && encoding.toLowerCase() !== 'chunked') {
    throw headerError(`${line}: transfer-encoding can only be chunked; nothing was sent`)
  }
  const isStream = given !== undefined && given.size === undefined
  if (isStream && encoding !== null && announced !== null) {
    throw bodyError(
      `${line}: a stream cannot have both a content-length and a transfer-encoding; nothing was sent`,
    )
  }
  const body = isStream && announced !== null ? countedBody(given, announced, line) : given
  const length = body?.size === undefined ? null : `${body.size}`
  if (encoding === null && announced === length) return { body, headers }
  return {
    body,
    headers: headers.with([
      ['transfer-encoding', null],
      ['content-length', length],
    ]),
  }
}

/**
 * Returns the one header that frames a body over HTTP/1.1, if there is a body. Node chunks by itself only where the
 * method usually has one: the stream of a DELETE would be read as the next request on its connection.
 */
export function framingOf(
  body: Pick<OutgoingBody, 'size'> | undefined,
): readonly [name: string, value: string] | undefined {
  if (!body) return undefined
  return body.size === undefined
    ? ['transfer-encoding', 'chunked']
    : ['content-length', `${body.size}`]
}

export function isFramingHeader(name: string): boolean {
  return /^(?:content-length|transfer-encoding)$/i.test(name)
}
