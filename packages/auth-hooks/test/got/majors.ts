import type { Agent } from 'node:http'
import type { Duplex } from 'node:stream'
import type { GotAuth } from '@svc/auth-hooks/got'
import got from 'got'
import got14 from 'got14'
import got15 from 'got15'

/** The options of all three majors, as far as the tests use them. */
export interface CommonOptions {
  method?: string
  headers?: Record<string, string | string[] | undefined>
  searchParams?: Record<string, string>
  json?: unknown
  form?: Record<string, string>
  body?: unknown
  responseType?: 'json' | 'buffer' | 'text'
  retry?: { limit: number; calculateDelay?: (state: { computedValue: number }) => number }
  timeout?: Partial<Record<'request' | 'response' | 'socket' | 'connect' | 'send', number>>
  signal?: AbortSignal
  context?: Record<string, unknown>
  hooks?: Partial<
    Record<
      'beforeRequest' | 'beforeRedirect' | 'beforeRetry' | 'afterResponse' | 'beforeError',
      // The hooks of three majors are given three kinds of options.
      ((...state: never[]) => unknown)[]
    >
  >
  handlers?: GotAuth['handlers']
  followRedirect?: boolean
  maxRedirects?: number
  methodRewriting?: boolean
  throwHttpErrors?: boolean
  decompress?: boolean
  cache?: Map<string, unknown>
  cookieJar?: object
  agent?: { http?: Agent }
  http2?: boolean
  https?: { certificateAuthority: string }
  enableUnixSockets?: boolean
  request?: unknown
  setHost?: boolean
  allowGetBody?: boolean
  pagination?: object
}

export interface CommonResponse {
  readonly statusCode: number
  readonly body: unknown
  readonly url: string
  readonly retryCount: number
  readonly isFromCache: boolean
  readonly redirectUrls: readonly URL[]
  readonly timings: { readonly phases: Readonly<Record<string, number | undefined>> }
  readonly request: { readonly options: CommonOptions }
}

export interface CommonGot {
  (url: string, options?: CommonOptions): Promise<CommonResponse> & { cancel?: () => void }
  extend(...options: (CommonOptions | GotAuth)[]): CommonGot
  stream(url: string, options?: CommonOptions): Duplex
  paginate(url: string, options?: CommonOptions): AsyncIterable<unknown>
}

// What the tests use of got is the same in all three.
// oxlint-disable typescript/no-unsafe-type-assertion -- see above
export const majors: [string, CommonGot][] = [
  ['got 16', got as unknown as CommonGot],
  ['got 15', got15 as unknown as CommonGot],
  ['got 14', got14 as unknown as CommonGot],
]
// oxlint-enable

/** Sends no request again by itself. */
export const retry = { limit: 0 }

/** The error that a call fails with. */
export async function failure(promise: Promise<unknown>): Promise<GotError> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof Error)) throw new Error('an error was expected')
  return error
}

export interface GotError extends Error {
  readonly code?: string
  readonly response?: CommonResponse
  readonly timings?: { readonly phases: { readonly wait?: number } }
}
