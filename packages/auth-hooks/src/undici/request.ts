import { stringify } from 'node:querystring'
import type { Authorization, AuthScheme } from '@svc/types'
import type { Dispatcher } from 'undici'
import { AuthError } from '../kit/errors.ts'
import { contentLength, withContentType } from '../kernel/body-headers.ts'
import type { ExchangeRequest } from '../kernel/exchange.ts'
import { type MaybePromise, whenReady } from '../kit/maybe-promise.ts'
import type { SerializedBody } from '../kernel/body.ts'
import { readRequestUrl, refuseUncovered } from '../kernel/request-url.ts'
import { readBody } from './undici-body.ts'
import { readHeaders } from './undici-headers.ts'

/** A request as undici was about to dispatch it, read once. */
export interface UndiciRequest extends ExchangeRequest {
  readonly body: SerializedBody | undefined
  /** Whatever else the options of the dispatch say. */
  readonly rest: Pick<Dispatcher.DispatchOptions, 'method'>
}

/** What reading a dispatch takes beside its options. */
export interface ReadSettings {
  readonly scheme: AuthScheme
  readonly maxReplayBytes: number
  /** Of the dispatcher: `null` where it has several, `undefined` where each request names its own. */
  readonly origin: string | null | undefined
}

/**
 * Reads the options of a dispatch. Only a body that hides its bytes has to be waited for.
 *
 * @throws AuthError `ERR_AUTH_ORIGIN`, `ERR_AUTH_URL`, `ERR_AUTH_HEADER`, `ERR_AUTH_BODY`
 */
export function readDispatch(
  options: Dispatcher.DispatchOptions,
  { scheme, maxReplayBytes, origin }: ReadSettings,
  signal: AbortSignal,
): MaybePromise<UndiciRequest> {
  const { origin: given, path, query, headers: givenHeaders, body: source, ...rest } = options
  // A Client connects to its own origin, whatever a request says; a BalancedPool to any of several.
  const url = readUrl(origin === undefined ? given : origin, path, query)
  refuseUncovered(scheme, url)
  // A signature covers the host of the URL.
  const headers = readHeaders(givenHeaders).with([['host', null]])
  const { method } = rest
  return whenReady(readBody(source, headers.get('content-length'), maxReplayBytes), (body) => ({
    method,
    url,
    headers: withContentType(headers, body),
    body,
    signal,
    // Each hop comes here as a dispatch of its own.
    redirect: 'manual',
    rest,
  }))
}

/** The options that send a request as it was authorized, with a stream of the body that a scheme gave. */
export function wireOptions(
  { url, headers, body, rest }: UndiciRequest,
  authorization: Authorization | undefined,
  stream: ReadableStream<Uint8Array> | undefined,
): Dispatcher.DispatchOptions {
  const added = authorization?.headers ?? []
  const options = {
    ...rest,
    origin: url.origin,
    path: pathOf(authorization?.url ?? url.href),
    // The caller's own length is that of what was wrapped.
    headers: headers.toRecord(
      stream ? [...added, contentLength(authorization?.body ?? {})] : added,
    ),
    body: stream ?? asBuffer(body?.source),
    // A redirect interceptor inside of ours would take the credential along.
    maxRedirections: 0,
  }
  // The types of undici know fewer bodies than it takes.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
  return options as Dispatcher.DispatchOptions
}

/** A handler of undici's is told of the bytes it sent as a `Buffer`. */
function asBuffer(source: unknown): unknown {
  if (!(source instanceof Uint8Array)) return source
  return Buffer.from(source.buffer, source.byteOffset, source.byteLength)
}

function readUrl(
  origin: string | URL | null | undefined,
  path: string,
  query: Record<string, unknown> | undefined,
): URL {
  if (!origin) {
    throw new AuthError(
      'ERR_AUTH_URL',
      '[@svc/auth-hooks] the origin of the request is unknown; give it one, or compose an Agent',
    )
  }
  // Joined as text, since a path that starts with `//` would name another host.
  if (typeof path !== 'string' || !path.startsWith('/')) {
    throw new AuthError(
      'ERR_AUTH_URL',
      '[@svc/auth-hooks] the path of the request must start with /',
    )
  }
  // undici's own serialisation of a query, at the same place.
  const search = query ? stringify(query as Parameters<typeof stringify>[0]) : ''
  if (query && /[?#]/.test(path)) {
    throw new AuthError(
      'ERR_AUTH_URL',
      '[@svc/auth-hooks] the path must not contain ? or # if `query` is set',
    )
  }
  const { origin: base } = readRequestUrl(String(origin))
  return readRequestUrl(search ? `${base}${path}?${search}` : `${base}${path}`)
}

/** Path and query as they stand in a URL, which a parser would change once more. */
function pathOf(url: string): string {
  return url.replace(/^https?:\/\/[^/]*/i, '').replace(/#.*$/, '')
}
