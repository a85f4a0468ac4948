import http, { type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import https from 'node:https'
import { PassThrough, Readable } from 'node:stream'
import { streamBody } from '../kernel/body.ts'
import { releaseStream } from '../kernel/stream.ts'
import { AuthError } from '../kit/errors.ts'
import { adoptRequest, plainError } from '../node/client-request.ts'
import { canRedact, reportRedaction } from '../node/redaction.ts'
import { discardResponse, responseHead } from '../node/response.ts'
import type { AxiosPlatform, NodeStream, PausedResponse } from './platform.ts'

type Listener = (message: IncomingMessage) => void

/** A value that axios takes as `transport`: `node:http` itself, or an object that looks like it. */
interface HttpTransport {
  request(options: RequestOptions, listener: Listener): ClientRequest
}

/** Requests that hide their headers, by themselves and by what axios was given for them. */
const redactedRequests = new WeakMap<object, ClientRequest>()

export const platform: AxiosPlatform = {
  intercept(given, { origin, href }, body, onResponse) {
    let opened: ClientRequest | undefined
    const transport: HttpTransport = {
      request(options, listener) {
        // axios before 1.16.1 asks a proxy for an https address in plain text.
        if (href.startsWith('https:') && options.protocol === 'http:') throw proxyError(origin)
        const native = options.protocol === 'https:' ? https : http
        // axios has no type for it.
        const base = (given as HttpTransport | undefined) ?? native
        const { headers } = options
        // A transport that follows redirects by itself is told to leave them alone. axios has made the
        // options for this request alone, and a copy of an object without a prototype is slow to make.
        Object.assign(options, { headers: undefined, followRedirects: false })
        const request = base.request(options, (message) => {
          // Where axios' own transport names the address that responded, without its fragment.
          Object.assign(message, { responseUrl: href.replace(/#.*/, '') })
          onResponse(pauseResponse(request, message, listener))
        })
        opened = adoptRequest(request, { headers: Object.entries(headers ?? {}), body }, caller)
        const shown = requestOfAxios(opened)
        if (opened instanceof http.ClientRequest && canRedact()) {
          redactedRequests.set(opened, opened).set(shown, opened)
        }
        return shown
      },
    }
    return { transport, end: () => void opened?.destroy() }
  },

  streamBody: (source) =>
    streamBody({
      [Symbol.asyncIterator]: () => readable(source)[Symbol.asyncIterator](),
      destroy: () => release(source),
    }),
  release,
  toBuffer: ({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength),
  toNodeStream(stream) {
    // Node types the same class twice.
    const source = Readable.fromWeb(stream as Parameters<typeof Readable.fromWeb>[0])
    const destroy = source.destroy.bind(source)
    source.destroy = (error) => destroy(error && plainError(error))
    // One that fails while axios does not listen any more would end the process.
    return source.on('error', () => {})
  },
  wrapStream(stream, { mapError, onEnd }) {
    const chunks = mapErrors(readable(stream), mapError)
    // A response of Node's ends no process either, if it fails and nobody listens.
    return Readable.from(chunks, { objectMode: false })
      .on('error', () => {})
      .on('close', onEnd)
  },
  redacted: (request) => redactedRequests.get(request),
  reportRedaction,
}

/** Ends a stream that will not be sent; a form of the package form-data leaves those of its parts open. */
function release(source: unknown): void {
  const parts: unknown = typeof source === 'object' && source && Reflect.get(source, '_streams')
  if (Array.isArray(parts)) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it is only read
    for (const part of parts as { source?: unknown }[]) releaseStream(part.source)
  }
  releaseStream(source)
}

const caller = '[@svc/auth-hooks] authAxios'

/**
 * Returns a request as axios is given it. Its own transport hands out a stand-in as well, which outlives
 * the request: axios drops the response to a request that is over, and its failures, as it is where the
 * server has closed or the response was read to its end.
 */
function requestOfAxios(request: ClientRequest): ClientRequest {
  return new Proxy(request, {
    get(_, name) {
      if (name === 'destroyed') return false
      // The call has its own timeout, and not every agent's streams are sockets.
      if (name === 'setTimeout') return () => request
      if (name === 'on') return listen
      const value: unknown = Reflect.get(request, name)
      return typeof value === 'function' ? value.bind(request) : value
    },
  })

  function listen(event: string, listener: (...values: unknown[]) => void): ClientRequest {
    return request.on(event, event === 'socket' ? caught(listener) : listener)
  }

  function caught(listener: (...values: unknown[]) => void): typeof listener {
    return (...values) => {
      try {
        listener(...values)
      } catch (error) {
        request.destroy(plainError(error))
      }
    }
  }
}

function proxyError(origin: string): AuthError {
  return new AuthError(
    'ERR_AUTH_ORIGIN',
    `[@svc/auth-hooks] the request to ${origin} would reach the proxy unencrypted, so ` +
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
    head: responseHead(message),
    resume() {
      if (message.destroyed) request.emit('error', message.errored ?? new Error('aborted'))
      else listener(message)
    },
    discard: () => discardResponse(request, message),
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
