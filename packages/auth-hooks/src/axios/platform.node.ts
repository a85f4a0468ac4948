import http, { type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import https from 'node:https'
import { PassThrough, Readable } from 'node:stream'
import { AuthError } from '../kit/errors.ts'
import type { AxiosPlatform, HeldAnswer, NodeStream } from './platform.ts'
import { redactClientRequest } from '../node/client-request.ts'
import { streamBody } from '../kernel/body.ts'

type Listener = (message: IncomingMessage) => void

/** What axios takes as `transport`: `node:http` itself, or what looks like it. */
interface HttpTransport {
  request(options: RequestOptions, listener: Listener): ClientRequest
}

const concealed = new WeakSet<object>()

export const platform: AxiosPlatform = {
  intercept(given, url) {
    const { promise, resolve } = withResolvers<HeldAnswer>()
    const transport: HttpTransport = {
      request(options, listener) {
        // axios before 1.16.1 asks a proxy for an https address in plain text.
        if (url.startsWith('https:') && options.protocol === 'http:') throw unencrypted(url)
        const native = options.protocol === 'https:' ? https : http
        // axios has no type for it.
        const base = (given as HttpTransport | undefined) ?? native
        const { headers } = options
        // A TLS socket keeps the options that it was opened with, so the headers are set afterwards.
        // A transport that follows redirects by itself is told to leave them alone.
        const bare = { headers: undefined, followRedirects: false }
        const sent = base.request(Object.assign(Object.create(null), options, bare), (message) => {
          // Where axios' own transport names the address that answered.
          Object.assign(message, { responseUrl: url })
          resolve(hold(sent, message, listener))
        })
        if (sent instanceof http.ClientRequest) {
          redactClientRequest(sent)
          concealed.add(sent)
        }
        for (const [name, value] of Object.entries(headers ?? {})) {
          if (value !== undefined) sent.setHeader(name, value)
        }
        return sent
      },
    }
    return { transport, held: promise }
  },

  streamBody(source) {
    // One that fails before it is read would end the process.
    source.on('error', () => {})
    const bytes = {
      [Symbol.asyncIterator]: () => bytesOf(source),
      destroy: () => source.destroy?.(),
    }
    return streamBody(bytes)
  },
  toBuffer: ({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength),
  toNodeStream(stream) {
    // Node types the same class twice.
    const source = Readable.fromWeb(stream as Parameters<typeof Readable.fromWeb>[0])
    // One that fails while axios does not listen any more would end the process.
    return source.on('error', () => {})
  },
  toWebStream: (stream) => webStream(readable(stream)),
  detached: (stream, mapError) =>
    Readable.from(piecesOf(readable(stream), mapError), { objectMode: false }),
  isRedacted: (request) => concealed.has(request),
}

function unencrypted(url: string): AuthError {
  return new AuthError(
    'ERR_AUTH_ORIGIN',
    `[@svc/auth-hooks] the request to ${new URL(url).origin} would reach the proxy unencrypted, so ` +
      'nothing was sent: upgrade axios, or use proxy: false with an httpsAgent that tunnels',
  )
}

/** Keeps an answer back, whose body nobody reads yet. */
function hold(request: ClientRequest, message: IncomingMessage, listener: Listener): HeldAnswer {
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
    deliver() {
      if (message.destroyed) {
        request.emit('error', message.errored ?? new Error('aborted'))
        return
      }
      // axios drops the answer to a request that is over, as it is where the server has closed since.
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

async function* bytesOf(source: NodeStream): AsyncGenerator<Uint8Array> {
  for await (const piece of readable(source)) {
    yield typeof piece === 'string' ? Buffer.from(piece) : piece
  }
}

async function* piecesOf(
  stream: Readable,
  mapError: (error: unknown) => unknown,
): AsyncGenerator<Uint8Array> {
  try {
    yield* stream
  } catch (error) {
    throw mapError(error)
  }
}

/** A stream as a `Readable`, which the oldest ones, such as those of form-data, are not. */
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
