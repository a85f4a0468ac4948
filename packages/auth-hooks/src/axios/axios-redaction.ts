import type { AxiosResponse, InternalAxiosRequestConfig } from 'axios'
import { platform } from '#axios-platform'
import { handOn, plainHeaders } from './response.ts'
import type { AxiosRequest } from './request.ts'

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
  const isConcealed = (request: object): boolean => platform?.isConcealed(request) ?? false
  // A `Request` and a stream of HTTP/2 show their headers to everyone.
  const shown = (request: unknown): unknown =>
    typeof request !== 'object' || !request || isConcealed(request)
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
      const isHidden = typeof request === 'object' && !!request && isConcealed(request)
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
