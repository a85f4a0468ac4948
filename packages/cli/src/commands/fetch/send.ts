import { STATUS_CODES } from 'node:http'
import type { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { errorCode, NetworkError } from '../../exit.ts'
import type { Service } from '../../service.ts'
import type { Progress } from './progress.ts'
import { type FetchRequest, requestLine } from './request.ts'

/** A response whose body is still to come, byte for byte as it was sent. */
export interface FetchResponse {
  readonly status: number
  readonly statusText: string
  /** By names in lower case; a list where a header came several times. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Readable
  /** `true` if the last attempt was signed. */
  readonly isSigned: boolean
}

/** Sees every request as it leaves, and the head of every response, also of those that are tried again. */
export interface AttemptObserver {
  onSend(request: Dispatcher.DispatchOptions): void
  onResponse(status: number, headers: FetchResponse['headers']): void
}

/** The way in which a request is sent. */
export interface SendOptions {
  readonly signal: AbortSignal
  readonly progress: Progress
  readonly observer: AttemptObserver | undefined
}

/**
 * Sends a request with its credentials. Not by `fetch`, which decodes what a server has stored compressed, so that
 * neither the length nor a range would be those of the object.
 */
export async function sendRequest(
  service: Service,
  request: FetchRequest,
  { signal, progress, observer }: SendOptions,
): Promise<FetchResponse> {
  const [{ authInterceptor }, dispatcher] = await Promise.all([
    import('@svc/auth-hooks/undici'),
    service.dispatcher(),
  ])
  let isSigned = false
  let isSending = false
  const observe = (dispatch: Dispatcher.Dispatch): Dispatcher.Dispatch => {
    return (options, handler) => {
      isSending = true
      isSigned = String(findHeader(options.headers, 'authorization')).startsWith('AWS4-')
      observer?.onSend(options)
      return dispatch(options, observer ? observeHead(handler, observer) : handler)
    }
  }
  const authorized = dispatcher.compose([observe, authInterceptor(service.auth)])
  const { method, url, headers, body } = request
  // undici would wait forever for the end of a stream of nothing over HTTP/2.
  const isEmpty = body?.size === 0
  const content =
    body &&
    !isEmpty &&
    observeBody(body.content, {
      onStart: () => progress.start(isSending ? body.name : `${body.name} (hashing)`, body.size),
      onChunk: (bytes) => progress.add(bytes),
    })
  const sent = authorized.request({
    origin: url.origin,
    path: url.pathname + url.search,
    method,
    headers: headers.flatMap(([name, value]) => (value === undefined ? [] : [name, value])),
    // The types of undici know fewer bodies than it takes.
    ...(content && { body: content as unknown as Readable }),
    ...(isEmpty && { body: Buffer.alloc(0) }),
    signal,
    // A response may take as long as the service needs; `--max-time` bounds it.
    headersTimeout: 0,
  })
  const { statusCode, statusText, ...response } = await sent.catch((error: unknown) => {
    const code = errorCode(error)
    if (!isSending || !content || signal.aborted || !isCutOff(code)) throw error
    throw new NetworkError(
      `${requestLine(request)}: the service ended the connection while the body was sent (${code}); it may have ` +
        'refused it, and a small body shows why',
      { cause: error },
    )
  })
  // Whoever reads it meets its failure; where nobody does, it would end the process.
  response.body.on('error', () => {})
  return {
    status: statusCode,
    // HTTP/2 has none.
    statusText: statusText || (STATUS_CODES[statusCode] ?? ''),
    headers: response.headers,
    body: response.body,
    isSigned,
  }
}

/** Tells if an error is that of a connection which the other side has ended. */
function isCutOff(code: string): boolean {
  return ['EPIPE', 'ECONNRESET', 'UND_ERR_SOCKET'].includes(code)
}

/** Returns a handler that tells of the head of the response. */
function observeHead(
  handler: Dispatcher.DispatchHandler,
  observer: AttemptObserver,
): Dispatcher.DispatchHandler {
  return {
    onRequestStart: (...given) => handler.onRequestStart?.(...given),
    onRequestUpgrade: (...given) => handler.onRequestUpgrade?.(...given),
    onResponseStart(controller, status, headers, text) {
      observer.onResponse(status, headers)
      handler.onResponseStart?.(controller, status, headers, text)
    },
    onResponseData: (...given) => handler.onResponseData?.(...given),
    onResponseEnd: (...given) => handler.onResponseEnd?.(...given),
    onResponseError: (...given) => handler.onResponseError?.(...given),
  }
}

type Content = NonNullable<FetchRequest['body']>['content']

/** Returns a body that says how much of it has been read. */
function observeBody(
  content: Content,
  { onStart, onChunk }: { onStart: () => void; onChunk: (bytes: number) => void },
): Content {
  if (content instanceof Uint8Array) return content
  if (!('stream' in content)) {
    onStart()
    content.on('data', (chunk: Uint8Array) => onChunk(chunk.byteLength))
    content.pause()
    return content
  }
  return {
    ...content,
    async *stream() {
      onStart()
      for await (const chunk of content.stream()) {
        onChunk(chunk.byteLength)
        yield chunk
      }
    },
  }
}

function findHeader(headers: unknown, name: string): unknown {
  // The kernel gives a record with names in lower case.
  return Reflect.get(Object(headers) as object, name)
}

/** Returns the value of a header that has one line. */
export function headerOf(
  { headers }: Pick<FetchResponse, 'headers'>,
  name: string,
): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}
