import type { Exchange } from './exchange.ts'
import { collectBody, type RawRequest } from './http/request.ts'
import { type EmulatorResponse, hasNoContent } from './http/response.ts'

/** A `fetch` that reaches the emulator without a socket. Redirects are returned, not followed. */
export type InProcessFetch = (
  input: string | URL | Request,
  init?: RequestInit,
) => Promise<Response>

/** Creates the `fetch` of an emulator. */
export function createInProcessFetch(exchange: Exchange, maxBodyBytes: number): InProcessFetch {
  return async (input, init) => {
    const request = new Request(input, init)
    request.signal.throwIfAborted()
    const body =
      request.body === null ? new Uint8Array() : await collectBody(request.body, maxBodyBytes)
    const arrival = { request: toRawRequest(request, body), isTooLarge: body === undefined }
    try {
      const response = await exchange(arrival, request.signal)
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
    }
  }
}

function toRawRequest(request: Request, body: Uint8Array | undefined): RawRequest {
  const [address = ''] = request.url.split('#')
  const headers = [...request.headers].filter(([name]) => name !== 'host')
  // A socket would bring a length, and an `aws-chunked` body needs one.
  const length: [name: string, value: string][] =
    request.body === null || body === undefined || request.headers.has('content-length')
      ? []
      : [['content-length', String(body.byteLength)]]
  return {
    method: request.method,
    target: address.replace(/^[^:]+:\/\/[^/?]*/, '') || '/',
    rawHeaders: [['host', new URL(request.url).host], ...headers, ...length],
    body: body ?? new Uint8Array(),
  }
}

function toResponse({ status, headers, body }: EmulatorResponse): Response {
  return new Response(hasNoContent(status) ? null : body, { status, headers: { ...headers } })
}
