import type { ClientHttp2Session, ClientHttp2Stream, IncomingHttpHeaders } from 'node:http2'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import type { Dispatcher } from 'undici'
import { createHttp2Sessions } from './http2-session.ts'

/** The time that a response may be silent once it has begun. */
const silenceMs = 300_000

/** An error code of HTTP/2. See https://www.rfc-editor.org/rfc/rfc9113#section-7 */
const enhanceYourCalm = 11

/**
 * Opens a dispatcher that speaks HTTP/2 to an origin, or HTTP/1.1 by another dispatcher where that is all that the
 * service speaks. That of undici 7 takes a response that was reset for a whole one, and spins on an upload that is
 * broken off.
 */
export async function openHttp2Dispatcher(origin: string, http1: Dispatcher): Promise<Dispatcher> {
  const undici = await import('undici')
  const sessions = createHttp2Sessions(origin)

  return new (class extends undici.Dispatcher {
    override dispatch(
      options: Dispatcher.DispatchOptions,
      handler: Dispatcher.DispatchHandler,
    ): boolean {
      void sessions
        .open()
        .then((session) => {
          if (session) sendRequest(session, options, handler)
          else http1.dispatch(options, handler)
        })
        .catch((error: unknown) => failUnsent(handler, error))
      return true
    }

    override async close(): Promise<void> {
      sessions.close()
      await http1.close()
    }

    override async destroy(): Promise<void> {
      sessions.destroy()
      await http1.destroy()
    }
  })()
}

// The interceptor that authenticates ends the body of what was not sent.
function failUnsent(handler: Dispatcher.DispatchHandler, error: unknown): void {
  handler.onResponseError?.(createController(), asError(error))
}

/** Sends a request, and tells its handler of the response. */
function sendRequest(
  session: ClientHttp2Session,
  options: Dispatcher.DispatchOptions,
  handler: Dispatcher.DispatchHandler,
): void {
  const body = toReadable(options.body)
  let stream: ClientHttp2Stream | undefined
  let isOver = false
  const fail = (error: unknown): void => {
    if (isOver) return
    isOver = true
    body?.destroy()
    stream?.destroy()
    handler.onResponseError?.(controller, asError(error))
  }
  const controller = createController({
    abort: fail,
    pause: () => stream?.pause(),
    resume: () => stream?.resume(),
  })
  handler.onRequestStart?.(controller, {})
  // Its handler may have given up while the connection was made.
  if (controller.aborted) return
  try {
    stream = session.request(requestHeaders(options), { endStream: body === undefined })
  } catch (error) {
    fail(error)
    return
  }
  const sent = stream
  sent.on('error', fail)
  sent.on('response', (headers, _flags, raw: readonly string[] = []) => {
    sent.setTimeout(silenceMs, () => fail(new Error('the response of the service fell silent')))
    const { ':status': status = 0, ...rest } = headers
    controller.rawHeaders = raw.filter((_, index) => !raw[index - (index % 2)]?.startsWith(':'))
    handler.onResponseStart?.(controller, status, fieldsOf(rest))
  })
  sent.on('data', (chunk: Buffer) => {
    if (!isOver) handler.onResponseData?.(controller, chunk)
  })
  sent.on('end', () => {
    if (isOver) return
    // A reset ends what can be read too.
    if (sent.rstCode) {
      fail(resetError(sent.rstCode))
      return
    }
    isOver = true
    // Nobody needs the rest of a body whose response is whole.
    if (!sent.writableFinished) {
      body?.destroy()
      sent.close()
    }
    handler.onResponseEnd?.(controller, {})
  })
  sent.on('close', () => {
    // The service has had enough of this connection, and would refuse whatever comes by it.
    if (sent.rstCode === enhanceYourCalm) session.close()
    fail(resetError(sent.rstCode))
  })
  body?.on('error', fail)
  body?.pipe(sent)
}

/** Returns the header fields of a request, without those of a connection, which HTTP/2 has in its own way. */
function requestHeaders({
  method,
  path,
  origin,
  headers = {},
}: Dispatcher.DispatchOptions): Record<string, string | string[]> {
  const { protocol, host } = new URL(String(origin))
  const fields: Record<string, string | string[]> = {
    ':method': method,
    ':path': path,
    ':scheme': protocol.slice(0, -1),
    ':authority': host,
  }
  // The interceptor that authenticates gives a record, whose values are text.
  for (const [name, value] of Object.entries(headers as Record<string, string | string[]>)) {
    if (!ofConnection.has(name.toLowerCase())) fields[name.toLowerCase()] = value
  }
  return fields
}

const ofConnection: ReadonlySet<string> = new Set([
  'connection',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-connection',
  'te',
  'transfer-encoding',
  'upgrade',
])

/** Returns the fields of a response as undici has them: text, or several texts. */
function fieldsOf(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  )
}

function toReadable(body: unknown): Readable | undefined {
  if (body === undefined || body === null) return undefined
  if (body instanceof Readable) return body
  if (body instanceof Uint8Array || typeof body === 'string') {
    return body.length === 0 ? undefined : Readable.from([Buffer.from(body)], { objectMode: false })
  }
  if (isBlobLike(body)) return toReadable(body.stream())
  if (body instanceof globalThis.ReadableStream) return Readable.fromWeb(body as ReadableStream)
  // All else that the interceptor gives is a source of chunks.
  return Readable.from(body as AsyncIterable<Uint8Array>, { objectMode: false })
}

function isBlobLike(body: object): body is { stream(): unknown } {
  return 'stream' in body && typeof body.stream === 'function'
}

interface Controller extends Dispatcher.DispatchController {
  rawHeaders: string[] | null
}

function createController(
  stream: {
    readonly abort: (reason: Error) => void
    readonly pause: () => void
    readonly resume: () => void
  } = { abort() {}, pause() {}, resume() {} },
): Controller {
  let reason: Error | null = null
  let isPaused = false
  return {
    rawHeaders: null,
    rawTrailers: null,
    get aborted() {
      return reason !== null
    },
    get paused() {
      return isPaused
    },
    get reason() {
      return reason
    },
    abort(given) {
      reason ??= given
      stream.abort(given)
    },
    pause() {
      isPaused = true
      stream.pause()
    },
    resume() {
      isPaused = false
      stream.resume()
    },
  }
}

function resetError(code: number | undefined): Error {
  const error = new Error(`the service reset the request (HTTP/2 code ${code ?? 0})`)
  return Object.assign(error, { code: 'ERR_HTTP2_STREAM_ERROR' })
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}
