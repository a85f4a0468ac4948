import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { ReadableStream } from 'node:stream/web'
import type { Dispatcher } from 'undici'
import { readRawHeaders, returnedHeaders, rewriteLocation } from './headers.ts'
import { ProxyRefusal } from './refusal.ts'
import type { Upload } from './passed-body.ts'

/** A request as the service gets it, but for its credential. */
export interface ForwardedRequest {
  readonly method: string
  /** The path below the base URL, and the query. */
  readonly target: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly upload: Upload
  /** The host by which the client knows the proxy. */
  readonly host: string
}

/**
 * Sends a request to the service and its response to the client, but for its end: resolves once all of it was
 * written. `onBytes` counts its body.
 */
export type Forward = (
  request: ForwardedRequest,
  response: ServerResponse,
  onBytes: (bytes: number) => void,
) => Promise<void>

/**
 * Creates the function that forwards.
 *
 * @param open - Returns the dispatcher, which adds the credentials.
 * @param base - The base URL, without a slash at its end.
 */
export function createForward(open: () => Promise<Dispatcher>, base: string): Forward {
  const { origin, pathname } = new URL(base)
  const basePath = pathname === '/' ? '' : pathname
  return async ({ method, target, headers, upload, host }, response, onBytes) => {
    const url = new URL(base + target)
    const rewrite = (location: string) => rewriteLocation(location, url, base, host)
    const dispatcher = await open()
    return new Promise((resolve, reject) => {
      const handler = responseHandler(response, method, rewrite, onBytes, resolve, reject)
      const body = upload instanceof Readable ? pulled(upload) : upload
      const request = { origin, path: basePath + target, method, headers: headers.flat(), body }
      dispatcher.dispatch(request, handler)
    })
  }
}

/**
 * Returns a stream that undici reads piece by piece. One of Node's it would pipe: over HTTP/2, Node spins for ever
 * when a pipe breaks off with bytes on their way.
 */
function pulled(stream: Readable): Readable {
  // The types of undici know fewer bodies than it takes.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
  return ReadableStream.from(stream) as unknown as Readable
}

/** Returns a handler that passes a response on as fast as its client reads. */
function responseHandler(
  response: ServerResponse,
  method: string,
  rewrite: (location: string) => string | undefined,
  onBytes: (bytes: number) => void,
  resolve: () => void,
  reject: (error: unknown) => void,
): Dispatcher.DispatchHandler {
  let bytes = 0
  let announced: number | undefined
  let isHeadAll = false
  return {
    onRequestStart(controller) {
      const leave = (): void => {
        if (response.writableEnded) return
        controller.abort(new ProxyRefusal(499, 'ClientClosedRequest', 'the client has left'))
      }
      response.on('close', leave)
      response.on('drain', () => controller.resume())
      if (response.destroyed) leave()
    },
    onResponseStart(controller, statusCode, headers) {
      if (statusCode < 200) return
      isHeadAll = method === 'HEAD' || statusCode === 204 || statusCode === 304
      const length = headers['content-length']
      announced = isHeadAll || length === undefined ? undefined : Number(length)
      const lines = returnedHeaders(readRawHeaders(controller.rawHeaders), rewrite)
      // Only a request that was read to its end leaves its connection to another one.
      if (!response.req.complete) lines.push(['connection', 'close'])
      response.writeHead(statusCode, lines.flat())
      // The head goes at once; `flushHeaders` would write it in UTF-8.
      response.write(Buffer.alloc(0))
    },
    onResponseData(controller, chunk) {
      bytes += chunk.byteLength
      onBytes(chunk.byteLength)
      if (!response.write(chunk)) controller.pause()
    },
    onResponseEnd() {
      if (announced === undefined || announced === bytes) resolve()
      else reject(new Error('the response of the service ended early'))
    },
    onResponseError(_controller, error) {
      // A length that such a response announces is that of another, and undici misses the bytes.
      if (isHeadAll) resolve()
      else reject(error)
    },
  }
}
