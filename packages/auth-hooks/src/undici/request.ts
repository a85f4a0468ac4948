/* oxlint-disable typescript/no-unsafe-type-assertion -- undici takes more as a body than its types say, and values are told apart by their methods */

import { stringify } from 'node:querystring'
import type { Authorization, AuthScheme } from '@svc/types'
import type { Dispatcher } from 'undici'
import {
  type BodySource,
  bytesBody,
  kindOf,
  serializeBody,
  type SerializedBody,
  streamBody,
} from '../kernel/body.ts'
import { OutgoingHeaders, withContentType } from '../kernel/headers.ts'
import { assertSendable, type ExchangeRequest, readRequestUrl } from '../kernel/request.ts'
import { type ChunkSource, chunksOf, has, iteratorOf, readUpTo } from '../kernel/stream.ts'
import { assertUnused, claimStream } from '../kernel/used-stream.node.ts'
import { chain, type MaybePromise } from '../kit/async.ts'
import { bodyError, headerError, urlError } from '../kit/errors.ts'

/** A request as undici was about to dispatch it, read once. */
export interface UndiciRequest extends ExchangeRequest {
  readonly body: SerializedBody | undefined
  readonly rest: Pick<Dispatcher.DispatchOptions, 'method'>
}

export interface ReadDispatchSettings {
  readonly scheme: AuthScheme
  readonly maxReplayBytes: number
  /** The origin of the dispatcher: `null` if it has several, `undefined` if each request names its own. */
  readonly origin: string | null | undefined
}

/**
 * Takes charge of the body of a dispatch, which may fail before anybody reads it. `fetch` hides a stream of
 * Node's behind an iterator, which hears of it only once it was asked for a first chunk.
 */
export function guardDispatch(options: Dispatcher.DispatchOptions): Dispatcher.DispatchOptions {
  const source = options.body as unknown
  if (!source) return options
  for (const one of hiddenBodies(source)) assertUnused(one)
  claimStream(source)
  if (!has(source, 'next')) return options
  return { ...options, body: begin(source as AsyncIterator<Uint8Array>) as never }
}

/** Returns what an iterable may hide: undici's own retry puts the body of the attempt before into one, read or not. */
function hiddenBodies(source: unknown): unknown[] {
  const isHiding = has(source, Symbol.asyncIterator) && !has(source, 'pipe') && !has(source, 'next')
  if (!isHiding || source instanceof ReadableStream) return []
  return Object.getOwnPropertySymbols(source).map((key): unknown =>
    Reflect.get(Object(source), key),
  )
}

function begin(chunks: AsyncIterator<Uint8Array>): ChunkSource {
  let first: Promise<IteratorResult<Uint8Array>> | undefined = Promise.resolve(chunks.next())
  first.catch(() => {})
  const own = iteratorOf(
    () => {
      const next = first ?? chunks.next()
      first = undefined
      return next
    },
    () => chunks.return?.(),
  )
  return {
    [Symbol.asyncIterator]: () => own,
    destroy: () => void own.return?.().catch(() => {}),
  }
}

/** Reads the options of a dispatch. Only a body that hides its bytes has to be waited for. */
export function readDispatch(
  options: Dispatcher.DispatchOptions,
  { scheme, maxReplayBytes, origin }: ReadDispatchSettings,
  signal: AbortSignal,
): MaybePromise<UndiciRequest> {
  const { origin: given, path, query, headers: givenHeaders, body: source, ...rest } = options
  // A Client connects to its own origin, whatever a request says; a BalancedPool to any of several.
  const url = readDispatchUrl(origin === undefined ? given : origin, path, query)
  assertSendable(scheme, url)
  // A signature covers the host of the URL.
  const read = readDispatchHeaders(givenHeaders)
  const headers = read.has('host') ? read.with([['host', null]]) : read
  const { method } = rest
  return chain(readDispatchBody(source, headers.get('content-length'), maxReplayBytes), (body) => ({
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

/** Returns the options that send a request as it was authorized, with a stream of a scheme's body. */
export function dispatchOptions(
  { url, headers, body, rest }: UndiciRequest,
  authorization: Authorization | undefined,
  stream: ReadableStream<Uint8Array> | undefined,
): Dispatcher.DispatchOptions {
  const options = {
    ...rest,
    origin: url.origin,
    path: pathOf(authorization?.url ?? url.href),
    headers: headers.toRecord(authorization?.headers, authorization?.body),
    body: stream ?? toSent(body?.source),
    // A redirect interceptor inside of ours would take the credential along.
    maxRedirections: 0,
  }
  // The types of undici know fewer bodies than it takes.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
  return options as Dispatcher.DispatchOptions
}

function toSent(source: unknown): unknown {
  // A handler is told of the bytes that were sent as a `Buffer`.
  if (!(source instanceof Uint8Array)) return source
  return Buffer.from(source.buffer, source.byteOffset, source.byteLength)
}

/** Reads headers as undici takes them: a record, pairs, or names and values in turn. */
function readDispatchHeaders(source: Dispatcher.DispatchOptions['headers']): OutgoingHeaders {
  if (!source) return OutgoingHeaders.read(undefined)
  const lines: [name: string, value: string][] = []
  for (const [name, value] of headerEntries(source)) {
    // As undici has it: undefined is left out, and an array is a line for each value.
    if (value === undefined) continue
    const values = Array.isArray(value) ? value : [value]
    for (const one of values) lines.push([headerText(name), headerText(one)])
  }
  return OutgoingHeaders.read(lines)
}

type HeaderEntry = readonly [name: unknown, value: unknown]

function headerEntries(source: object): Iterable<HeaderEntry> {
  if (!(Symbol.iterator in source)) return Object.entries(source)
  const items = [...(source as Iterable<unknown>)]
  if (Array.isArray(source) && !Array.isArray(source[0])) {
    if (items.length % 2 === 0) {
      return items.flatMap((name, index) => (index % 2 ? [] : [[name, items[index + 1]] as const]))
    }
  } else if (items.every((item) => Array.isArray(item) && item.length === 2)) {
    return items as HeaderEntry[]
  }
  throw headerError('a header has no name or no value')
}

function headerText(value: unknown): string {
  if (typeof value === 'string') return value
  if (['number', 'boolean', 'bigint'].includes(typeof value)) return String(value)
  if (value === null) return ''
  if (value instanceof Uint8Array) return Buffer.from(value).toString('latin1')
  throw headerError('a header has a value that is not text')
}

function readDispatchUrl(
  origin: string | URL | null | undefined,
  path: string,
  query: Record<string, unknown> | undefined,
): URL {
  if (!origin) {
    throw urlError('the origin of the request is unknown; give it one, or compose an Agent')
  }
  // Joined as text, since a path that starts with `//` would name another host.
  if (typeof path !== 'string' || !path.startsWith('/')) {
    throw urlError('the path of the request must start with /')
  }
  // undici's own serialisation of a query, at the same place.
  const search = query ? stringify(query as Parameters<typeof stringify>[0]) : ''
  if (query && /[?#]/.test(path)) {
    throw urlError('the path must not contain ? or # if `query` is set')
  }
  // Without the path that a `URL` ends with.
  const text = String(origin)
  const base = /^[^/]*\/\/[^/?#]*/.exec(text)?.[0] ?? text
  return readRequestUrl(search ? `${base}${path}?${search}` : `${base}${path}`)
}

/** Returns path and query as they stand in a URL, which a parser would change once more. */
function pathOf(url: string): string {
  const start = url.indexOf('/', 'https://'.length)
  const end = url.indexOf('#')
  return end < 0 ? url.slice(start) : url.slice(start, end)
}

/**
 * Serialises a body as undici takes it. A stream stays a stream; `fetch` gives a dispatcher an iterator
 * whatever its own body was, which is read back if the length is announced and small.
 *
 * @throws AuthError `ERR_AUTH_BODY` if such a body is not as long as announced.
 */
function readDispatchBody(
  source: unknown,
  announced: string | null,
  maxReplayBytes: number,
): MaybePromise<SerializedBody | undefined> {
  if (source === null || source === undefined) return undefined
  // Unlike `fetch`, undici sends no content type of its own with a text.
  if (typeof source === 'string') return bytesBody(new TextEncoder().encode(source))
  if (ArrayBuffer.isView(source) || kindOf(source)) return serializeBody(source as BodySource)
  if (source instanceof ReadableStream) return streamBody(source)

  const size = /^\d+$/.test(announced ?? '') ? Number(announced) : Infinity
  const isIterable = has(source, Symbol.asyncIterator) || has(source, Symbol.iterator)
  const chunks = source as ChunkSource
  // undici would pipe one of Node's: over HTTP/2, Node spins for ever if that breaks off with bytes on their way.
  if (has(source, 'pipe')) return streamBody(chunksOf(chunks))
  // undici has an error of its own for a body that is none.
  return isIterable && size <= maxReplayBytes ? readAnnounced(chunks, size) : streamBody(chunks)
}

async function readAnnounced(source: ChunkSource, size: number): Promise<SerializedBody> {
  const bytes = await readUpTo(copyChunks(source), size)
  if (bytes?.byteLength === size) return bytesBody(bytes)
  throw bodyError(`the length of the body does not match its content-length (${size})`)
}

// A caller's generator may fill one buffer again and again.
async function* copyChunks(source: ChunkSource): AsyncGenerator<Uint8Array, undefined> {
  for await (const chunk of chunksOf(source)) {
    yield chunk instanceof Uint8Array ? new Uint8Array(chunk) : chunk
  }
}
