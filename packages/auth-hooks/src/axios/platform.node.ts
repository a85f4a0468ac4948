import http, { type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import https from 'node:https'
import { PassThrough, Readable } from 'node:stream'
import { streamBody } from '../kernel/body.ts'
import { AuthError } from '../kit/errors.ts'
import { redactClientRequest } from '../node/client-request.ts'
import type { AxiosPlatform, NodeStream, PausedResponse } from './platform.ts'

type Listener = (message: IncomingMessage) => void

/** A value that axios takes as `transport`: `node:http` itself, or an object that looks like it. */
interface HttpTransport {
  request(options: RequestOptions, listener: Listener): ClientRequest
}

const redactedRequests = new WeakSet<object>()

export const platform: AxiosPlatform = {
  intercept(given, url) {
    const { promise, resolve } = withResolvers<PausedResponse>()
    const transport: HttpTransport = {
      request(options, listener) {
        // axios before 1.16.1 asks a proxy for an https address in plain text.
        if (url.startsWith('https:') && options.protocol === 'http:') throw proxyError(url)
        const native = options.protocol === 'https:' ? https : http
        // axios has no type for it.
        const base = (given as HttpTransport | undefined) ?? native
        const { headers } = options
        // A TLS socket keeps the options that it was opened with, so the headers are set afterwards.
        // A transport that follows redirects by itself is told to leave them alone.
        const bare = { headers: undefined, followRedirects: false }
        const sent = base.request(Object.assign(Object.create(null), options, bare), (message) => {
          // Where axios' own transport names the address that responded.
          Object.assign(message, { responseUrl: url })
          resolve(pauseResponse(sent, message, listener))
        })
        if (sent instanceof http.ClientRequest) {
          redactClientRequest(sent)
          redactedRequests.add(sent)
        }
        for (const [name, value] of Object.entries(headers ?? {})) {
          if (value !== undefined) sent.setHeader(name, value)
        }
        return sent
      },
    }
    return { transport, response: promise }
  },

  streamBody(source) {
    // One that fails before it is read would end the process.
    source.on('error', () => {})
    return streamBody({
      [Symbol.asyncIterator]: () => readable(source)[Symbol.asyncIterator](),
      destroy: () => source.destroy?.(),
    })
  },
  toBuffer: ({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength),
  toNodeStream(stream) {
    // Node types the same class twice.
    const source = Readable.fromWeb(stream as Parameters<typeof Readable.fromWeb>[0])
    // One that fails while axios does not listen any more would end the process.
    return source.on('error', () => {})
  },
  toWebStream: (stream) => webStream(readable(stream)),
  wrapStream(stream, { mapError, onEnd }) {
    const chunks = mapErrors(readable(stream), mapError)
    return Readable.from(chunks, { objectMode: false }).on('close', onEnd)
  },
  isRedacted: (request) => redactedRequests.has(request),
}

function proxyError(url: string): AuthError {
  return new AuthError(
    'ERR_AUTH_ORIGIN',
    `[@svc/auth-hooks] the request to ${new URL(url).origin} would reach the proxy unencrypted, so ` +
      'nothing was sent: upgrade axios, or use proxy: false with an httpsAgent that tunnels',
  )
}

/** Keeps a response back, whose body nobody reads yet. */
function pauseResponse(
  request: ClientRequest,
  message: IncomingMessage,
  listener: Listener,
): PausedResponse {
  return {
    status: message.statusCode ?? 0,
    get headers() {
      const headers = new Headers()
      const { rawHeaders } = message
      for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
        headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '')
      }
      return headers
    },
    get body() {
      return webStream(message)
    },
    resume() {
      if (message.destroyed) {
        request.emit('error', message.errored ?? new Error('aborted'))
        return
      }
      // axios drops the response to a request that is over, as it is if the server has closed since.
      const { destroyed } = request
      request.destroyed = false
      listener(message)
      request.destroyed = destroyed
    },
    release() {
      if (!request.writableFinished) request.destroy()
    },
  }
}

async function* mapErrors(
  stream: Readable,
  mapError: (error: unknown) => unknown,
): AsyncGenerator<Uint8Array> {
  try {
    yield* stream
  } catch (error) {
    throw mapError(error)
  }
}

/** Returns a stream as a `Readable`, which the oldest ones, such as those of form-data, are not. */
function readable(stream: NodeStream): Readable {
  if (stream instanceof Readable) return stream
  const through = new PassThrough()
  stream.on('error', (error) => through.destroy(error))
  stream.pipe(through)
  return through
}

function webStream(stream: Readable): ReadableStream<Uint8Array> {
  // Node types the same class twice.
  return Readable.toWeb(stream) as ReadableStream<Uint8Array>
}

// `Promise.withResolvers` came with Node 22.
function withResolvers<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve!: (value: T) => void
  const promise = new Promise<T>((given) => {
    resolve = given
  })
  return { promise, resolve }
}
