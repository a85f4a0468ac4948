import type { Exchange } from './exchange.ts'
import { receive } from './http/arrival.ts'
import type { PendingBytes } from './http/pending.ts'
import type { RawRequest } from './http/request.ts'
import { type EmulatorResponse, hasNoContent } from './http/response.ts'

/** A `fetch` that reaches the emulator without a socket. Redirects are returned, not followed. */
export type InProcessFetch = (
  input: string | URL | Request,
  init?: RequestInit,
) => Promise<Response>

/** Creates the `fetch` of an emulator. */
export function createInProcessFetch(
  exchange: Exchange,
  maxBodyBytes: number,
  pendingBytes: PendingBytes,
): InProcessFetch {
  return async (input, init) => {
    const request = new Request(input, init)
    request.signal.throwIfAborted()
    const pending = pendingBytes.open()
    try {
      const arrival = await receive(readHead(request), request.body, maxBodyBytes, pending)
      const framing = request.body === null ? [] : bodyFraming(arrival.request, init?.body)
      const rawHeaders = [...arrival.request.rawHeaders, ...framing]
      const response = await exchange(
        { ...arrival, request: { ...arrival.request, rawHeaders } },
        request.signal,
      )
      if (response === undefined) {
        throw new TypeError('fetch failed', {
          cause: new Error('the emulator dropped the connection'),
        })
      }
      return toResponse(response)
    } catch (error) {
      // If a latency was aborted, the error is the caller's own reason, as with any other fetch.
      request.signal.throwIfAborted()
      throw error
    } finally {
      pending.close()
    }
  }
}

function readHead(request: Request): Omit<RawRequest, 'body'> {
  const [address = ''] = request.url.split('#')
  const headers = [...request.headers].filter(([name]) => name !== 'host')
  return {
    method: request.method,
    target: address.replace(/^[^:]+:\/\/[^/?]*/, '') || '/',
    rawHeaders: [['host', new URL(request.url).host], ...headers],
  }
}

// A socket would bring the length of a body, or the transfer coding of a stream. The stream inside a
// `Request` cannot be told from a text there, and counts as one.
function bodyFraming(
  { rawHeaders, body }: RawRequest,
  given: RequestInit['body'],
): [name: string, value: string][] {
  // A request that was taken from a socket says so itself.
  if (rawHeaders.some(([name]) => /^(content-length|transfer-encoding)$/.test(name))) return []
  const isStream = typeof given === 'object' && given !== null && Symbol.asyncIterator in given
  return isStream
    ? [['transfer-encoding', 'chunked']]
    : [['content-length', String(body.byteLength)]]
}

function toResponse({ status, headers, body }: EmulatorResponse): Response {
  return new Response(hasNoContent(status) ? null : body, { status, headers: { ...headers } })
}
