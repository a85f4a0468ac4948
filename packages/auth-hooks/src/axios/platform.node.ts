import http, { type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import https from 'node:https'
import { PassThrough, pipeline, Readable } from 'node:stream'
import { streamBody } from '../kernel/body.ts'
import { releaseStream } from '../kernel/stream.ts'
import { holdStream, noteRead } from '../kernel/used-stream.node.ts'
import { hooksError } from '../kit/errors.ts'
import { adoptRequest, plainError } from '../node/client-request.ts'
import { canRedact, reportRedaction } from '../node/redaction.ts'
import { NodeHead } from '../node/response.ts'
import type { AxiosPlatform, NodeStream } from './platform.ts'

/** A value that axios takes as `transport`: `node:http` itself, or an object that looks like it. */
interface HttpTransport {
  request(options: RequestOptions, listener: (message: IncomingMessage) => void): ClientRequest
}

/** Requests that hide their headers, by themselves and by what axios was given for them. */
const redacted = new WeakSet<object>()

export const platform: AxiosPlatform = {
  intercept(given, { origin, href }, body, onResponse) {
    let opened: ClientRequest | undefined
    let response: IncomingMessage | undefined
    const transport: HttpTransport = {
      request(options, listener) {
        // axios before 1.16.1 asks a proxy for an https address in plain text.
        if (href.startsWith('https:') && options.protocol === 'http:') {
          throw hooksError(
            'ERR_AUTH_ORIGIN',
            `the request to ${origin} would reach the proxy unencrypted, so nothing was sent: ` +
              'upgrade axios, or use proxy: false with an httpsAgent that tunnels',
          )
        }
        const native = options.protocol === 'https:' ? https : http
        // axios has no type for it.
        const base = (given as HttpTransport | undefined) ?? native
        const lines = Object.entries(options.headers ?? {})
        // A transport that follows redirects by itself is told to leave them alone. axios has made the
        // options for this request alone, and a copy of an object without a prototype is slow to make.
        Object.assign(options, { headers: undefined, followRedirects: false })
        const request = base.request(options, (message) => {
          response = message
          // Where axios' own transport names the address that responded, without its fragment.
          Object.assign(message, { responseUrl: href.replace(/#.*/, '') })
          onResponse(new NodeHead(message.statusCode ?? 0, message.headers))
          listener(message)
        })
        opened = adoptRequest(request, lines, body, '[@svc/auth-hooks] authAxios')
        const shown = requestOfAxios(opened)
        if (opened instanceof http.ClientRequest && canRedact()) redacted.add(opened).add(shown)
        return shown
      },
    }
    return {
      changes: { transport },
      end() {
        if (!response?.complete || !opened?.writableFinished) opened?.destroy()
      },
    }
  },

  streamBody(source) {
    noteRead(source)
    const stream = readable(source)
    holdStream(stream)
    return streamBody({
      [Symbol.asyncIterator]: () => stream[Symbol.asyncIterator](),
      destroy: () => releaseStream(source),
    })
  },
  toBuffer: ({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength),
  openUpload(chunks, signal) {
    const stream = Readable.from(chunks, { objectMode: false, ...(signal && { signal }) })
    const destroy = stream.destroy.bind(stream)
    stream.destroy = (error) => destroy(error && plainError(error))
    // One that fails while axios does not listen any more would end the process.
    stream.on('error', () => {})
    const abort = (reason: unknown): unknown => {
      const { errored } = stream
      stream.destroy()
      return errored ?? reason
    }
    return { stream, abort, onResponse: () => {} }
  },
  shownStream(stream, isRedacted, { mapError, onEnd }) {
    // The first to hear of an error; and a response of Node's ends no process if nobody listens.
    const source = readable(stream).on('error', mapError)
    const shown = isRedacted ? source : pipeline(source, new PassThrough(), () => {})
    return shown.on('error', () => {}).on('close', onEnd)
  },
  isRedacted: (request) => typeof request === 'object' && !!request && redacted.has(request),
  reportRedaction,
}

/**
 * Returns a request as axios is given it: one that is never over. axios 1.7 drops the failure of a response whose
 * request is over, as it is once the response was read to its end.
 */
function requestOfAxios(request: ClientRequest): ClientRequest {
  return new Proxy(request, {
    get(_, name) {
      if (name === 'destroyed') return false
      const value: unknown = Reflect.get(request, name)
      return typeof value === 'function' ? value.bind(request) : value
    },
  })
}

/** Returns a stream as a `Readable`, which the oldest ones, such as those of form-data, are not. */
function readable(stream: NodeStream): Readable {
  if (stream instanceof Readable) return stream
  const through = new PassThrough()
  stream.on('error', (error) => through.destroy(error))
  stream.pipe(through)
  return through
}
