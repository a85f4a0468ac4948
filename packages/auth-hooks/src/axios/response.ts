import { platform } from '#axios-platform'
import type { AxiosResponse, InternalAxiosRequestConfig, RawAxiosResponseHeaders } from 'axios'
import { drain } from '../kernel/drain.ts'
import type { RedirectResponse } from '../kernel/redirect.ts'
import { type AxiosRequest, isNodeStream } from './request.ts'

/** What the answer of an adapter says in its head. */
export function headOf({ status, headers }: AxiosResponse): RedirectResponse {
  return {
    status,
    get headers() {
      const read = new Headers()
      for (const [name, value] of Object.entries(plainHeaders(headers))) {
        for (const one of [value].flat()) read.append(name, String(one))
      }
      return read
    },
    // A browser gives it no status, and every attempt asks for redirects as they are.
    ...(status === 0 && { type: 'opaqueredirect' }),
  }
}

/** Headers without a class, since that of another copy of axios is not known to the caller's. */
export function plainHeaders(headers: AxiosResponse['headers']): RawAxiosResponseHeaders {
  return 'toJSON' in headers && typeof headers.toJSON === 'function' ? headers.toJSON() : headers
}

/** Reads away what an adapter opened as a stream. */
export function discardData(data: unknown): void {
  const body = platform && isNodeStream(data) ? platform.toWebStream(data) : data
  if (body instanceof ReadableStream) void drain({ body })
}

/** What becomes of the data of an answer that is the caller's. */
export interface DataObserver {
  /** Makes a failure of a stream one that may be shown. */
  readonly mapError: (error: unknown) => unknown
  /** Is told once there is nothing more to come. */
  readonly ended: () => void
}

/** Hands data on; a stream so that neither it nor its failures lead to a request with credentials. */
export function handOn(data: unknown, isRedacted: boolean, observer: DataObserver): unknown {
  if (platform && isNodeStream(data)) {
    const stream = isRedacted ? data : platform.detached(data, observer.mapError)
    stream.on('close', observer.ended)
    return stream
  }
  if (data instanceof ReadableStream) return detached(data, observer)
  observer.ended()
  return data
}

function detached(
  stream: ReadableStream<Uint8Array>,
  { mapError, ended }: DataObserver,
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
          ended()
          controller.close()
        } catch (error) {
          ended()
          throw mapError(error)
        }
      },
      cancel(reason) {
        ended()
        return reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
}

/** Makes what an adapter gives, or throws, into what the caller may see. */
export interface Redaction {
  readonly response: (response: AxiosResponse, ended: () => void) => AxiosResponse
  readonly error: (error: unknown) => unknown
  /** The adapter is done with its configuration, which errors to come may still name. */
  readonly settled: () => void
}

/** Keeps the credentials of one attempt out of its answer and its errors. */
export function redaction(
  config: InternalAxiosRequestConfig,
  attempt: InternalAxiosRequestConfig,
  { method, url }: AxiosRequest,
): Redaction {
  const isRedacted = (request: object): boolean => platform?.isRedacted(request) ?? false
  // A `Request` and a stream of HTTP/2 show their headers to everyone.
  const shown = (request: unknown): unknown =>
    typeof request !== 'object' || !request || isRedacted(request)
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
    response(response, ended) {
      const request: unknown = response.request
      const isHidden = typeof request === 'object' && !!request && isRedacted(request)
      return {
        ...response,
        headers: plainHeaders(response.headers),
        data: handOn(response.data, isHidden, { mapError: error, ended }),
        config,
        request: shown(request),
      }
    },
    settled() {
      for (const name of Object.keys(attempt)) {
        if (!Object.hasOwn(config, name)) Reflect.deleteProperty(attempt, name)
      }
      Object.assign(attempt, config)
    },
  }
}

/** The parts of an `AxiosError` that lead elsewhere. */
interface Leads {
  config?: unknown
  request?: unknown
  response?: object
  cause?: unknown
}

function isAxiosError(value: unknown): value is Leads {
  return typeof value === 'object' && value !== null && 'isAxiosError' in value
}
