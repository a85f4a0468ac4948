import { platform } from '#axios-platform'
import type { AxiosResponse, InternalAxiosRequestConfig, RawAxiosResponseHeaders } from 'axios'
import { drain } from '../kernel/drain.ts'
import type { RedirectResponse } from '../kernel/redirect.ts'
import { type ChunkSource, isWebStream } from '../kernel/stream.ts'
import { NodeHead } from '../node/response.ts'
import type { DataObserver } from './platform.ts'
import { type AxiosRequest, isNodeStream } from './request.ts'

/** Returns the head of a response of an adapter. */
export function responseHeadOf({ status, headers }: AxiosResponse): RedirectResponse {
  const head = new NodeHead(status, plainHeaders(headers))
  // A browser gives a redirect no status, and every attempt asks for redirects as they are.
  return status === 0 ? { status, headers: head, type: 'opaqueredirect' } : head
}

/**
 * Returns headers without a class, since that of another copy of axios is unknown to the caller's. An
 * adapter of the caller's may give none.
 */
function plainHeaders(
  headers: Partial<AxiosResponse['headers']> | null | undefined,
): RawAxiosResponseHeaders {
  return typeof headers?.toJSON === 'function' ? headers.toJSON() : (headers ?? {})
}

/** Reads and discards the data of a response, if an adapter opened it as a stream. */
export function discardData(data: unknown): void {
  if (!isWebStream(data) && !isNodeStream(data)) return
  // Those of Node are iterated; of any older one, the reading fails at once.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
  void drain({ body: data as ChunkSource })
}

/** Wraps data so that neither a stream nor its failures lead to a request with credentials. */
function wrapData(data: unknown, isRedacted: boolean, observer: DataObserver): unknown {
  if (platform && isNodeStream(data)) return platform.shownStream(data, isRedacted, observer)
  if (isWebStream(data)) return wrapStream(data, observer)
  observer.onEnd()
  return data
}

function wrapStream(
  stream: ReadableStream<Uint8Array>,
  { mapError, onEnd }: DataObserver,
): ReadableStream<Uint8Array> {
  const reader = stream.getReader()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read()
          if (!done) {
            controller.enqueue(value)
            return
          }
          onEnd()
          controller.close()
        } catch (error) {
          onEnd()
          throw mapError(error)
        }
      },
      cancel(reason) {
        onEnd()
        return reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
}

/** Keeps the credentials of one attempt out of its response and its errors; an error stays the same one. */
export function redaction(
  config: InternalAxiosRequestConfig,
  { method, url }: AxiosRequest,
): {
  readonly response: (response: AxiosResponse, onEnd: () => void) => AxiosResponse
  readonly error: (error: unknown) => unknown
} {
  // A `Request` and a stream of HTTP/2 show their headers to everyone.
  const shown = (request: unknown): unknown =>
    typeof request !== 'object' || !request || platform?.isRedacted(request)
      ? request
      : { method, url: url.href }

  const error = (thrown: unknown): unknown => {
    const seen = new Set<unknown>()
    for (let link = thrown; isAxiosError(link) && !seen.has(link); link = link.cause) {
      seen.add(link)
      link.config = config
      if (link.request !== undefined) link.request = shown(link.request)
      if (link.response) Object.assign(link.response, { config, request: link.request })
    }
    return thrown
  }

  return {
    error,
    response: (response, onEnd) => ({
      ...response,
      headers: plainHeaders(response.headers),
      data: wrapData(response.data, platform?.isRedacted(response.request) ?? false, {
        mapError: error,
        onEnd,
      }),
      config,
      request: shown(response.request),
    }),
  }
}

/** The parts of an `AxiosError` that lead to other objects. */
interface AxiosErrorLinks {
  config?: unknown
  request?: unknown
  response?: object
  cause?: unknown
}

function isAxiosError(value: unknown): value is AxiosErrorLinks {
  return typeof value === 'object' && value !== null && 'isAxiosError' in value
}
