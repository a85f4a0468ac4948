import type { Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip } from 'node:zlib'
import { type FetchResponse, headerOf } from './send.ts'

/** Returns the body as it was before the server compressed it, or as it came if nobody knows how. */
export function decodeBody(response: FetchResponse): Readable {
  const decoder = createDecoder(headerOf(response, 'content-encoding')?.trim().toLowerCase())
  if (!decoder) return response.body
  response.body.once('error', (error) => decoder.destroy(error))
  decoder.once('close', () => response.body.destroy())
  return response.body.pipe(decoder)
}

function createDecoder(coding: string | undefined) {
  switch (coding) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip()
    case 'br':
      return createBrotliDecompress()
    default:
      return undefined
  }
}
