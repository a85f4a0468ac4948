import type { IncomingMessage, RequestOptions } from 'node:http'
import { PassThrough } from 'node:stream'
import type { AuthScheme } from '@svc/types'
import { serializeBody, type SerializedBody, streamBody } from '../kernel/body.ts'
import { exchange, type ExchangeStart, type Transport } from '../kernel/exchange.ts'
import { readFraming } from '../kernel/framing.ts'
import { OutgoingHeaders } from '../kernel/headers.ts'
import { encodeMultipart } from '../kernel/blob.ts'
import type { ExchangeSettings } from '../kernel/options.ts'
import { allowRedirect, isSensitive, type Trail } from '../kernel/redirect.ts'
import {
  assertSendable,
  type ExchangeRequest,
  readRequestUrl,
  requestLine,
} from '../kernel/request.ts'
import { releaseStream } from '../kernel/stream.ts'
import { assertUnused, noteRead, openStream } from '../kernel/used-stream.node.ts'
import { plainError } from '../node/client-request.ts'
import { followSignal } from '../kit/async.ts'
import { urlError } from '../kit/errors.ts'
import { headerEntries, headerLines, NodeHead } from '../node/response.ts'
import { type GotWriting, ReplayableClientRequest } from './client-request.ts'

/** The parts of a response of Node's that are its head. */
export type GotResponseHead = Pick<IncomingMessage, 'statusCode' | 'headers'>

/** A request of got's that is about to leave: an attempt, or a hop of a redirect. */
export interface GotCall {
  readonly options: GotOptions
  /** The user's own `request` option. */
  readonly request: GotRequestFunction | undefined
  /** The redirect that led here. */
  readonly redirect: { readonly from: URL; readonly response: GotResponseHead } | undefined
  /** The way that led here; `added` is one list for all hops, and so is `reasons`. */
  readonly trail: Trail & Pick<ExchangeStart, 'reasons'>
  /** The URL that was sent. */
  url: URL | undefined
}

/**
 * Returns the function that sends a request of got's, and once more if the scheme asks for it. Its
 * promise settles when the request is authorized for the first time, since that is when got begins to
 * count its timeouts.
 */
export function requestFunction(
  scheme: AuthScheme,
  settings: ExchangeSettings,
  call: GotCall,
): (...parameters: Parameters<GotRequestFunction>) => Promise<ReplayableClientRequest> {
  return async (...parameters) => {
    const [first, second, third] = parameters
    // With a cache, the URL stands in the options as well.
    const [native, callback] = typeof second === 'object' ? [second, third] : [first, second]
    try {
      return await startExchange(scheme, settings, call, native, callback)
    } catch (error) {
      // got 14 and 15 leave a stream of the web open.
      releaseStream(call.options.body, error)
      throw plainError(error)
    }
  }
}

/** Starts the exchange of a request of got's. Resolves once the first attempt is authorized. */
async function startExchange(
  scheme: AuthScheme,
  settings: ExchangeSettings,
  call: GotCall,
  native: RequestOptions,
  callback: ResponseCallback | undefined,
): Promise<ReplayableClientRequest> {
  const { options, redirect, trail } = call
  const { written, isWhole, ...read } = readGotRequest(scheme, settings, call, native)
  const { signal, abort, release } = followSignal(read.signal)
  const request = { ...read, signal }
  const standIn = new ReplayableClientRequest({ written, isWhole })
  if (callback) standIn.once('response', callback)
  // A timeout of got's ends a review as well.
  standIn.once('close', abort)
  return new Promise((resolve, reject) => {
    const transport: Transport<ExchangeRequest, IncomingMessage> = {
      send({ body, headers, url }, authorization) {
        if (authorization) trail.added.push(authorization.headers)
        openStream(options.body, true)
        resolve(standIn)
        return standIn.sendAttempt(
          () => nativeRequest(options, call.request, native, url, authorization?.url),
          headers.with(authorization?.headers ?? []),
          authorization?.body ?? body,
        )
      },
      responseHead,
      discard: (response) => void standIn.discard(response),
      // got follows redirects by itself.
      redirected: (sent) => sent,
    }
    const start = {
      // Further than all of the hops before.
      attempt: redirect ? 1 + trail.hops + trail.reasons.length : 1,
      reason: redirect ? 'redirect' : 'initial',
      reasons: trail.reasons,
      previous: redirect && responseHead(redirect.response),
    } as const
    const received = trail.isCovered
      ? exchange(scheme, settings, transport, request, start)
      : transport.send(request, undefined)
    received
      .then((response) => standIn.emitResponse(response))
      .catch((error: unknown) => {
        reject(error)
        standIn.destroy(plainError(error))
      })
      .finally(() => {
        standIn.off('close', abort)
        release()
      })
  })
}

function responseHead({ statusCode = 0, headers }: GotResponseHead): NodeHead {
  return new NodeHead(statusCode, headers)
}

/** Reads a request as all hooks left it, and decides whether it gets credentials. */
function readGotRequest(
  scheme: AuthScheme,
  settings: ExchangeSettings,
  call: GotCall,
  native: RequestOptions,
): ExchangeRequest & GotWriting {
  const { options, redirect, trail } = call
  const { method, signal } = options
  const url = readRequestUrl(String(options.url))
  const whole = readGotBody(options)
  // A small body is one piece.
  const isRead = whole ? (whole.size ?? 0) > 65_536 : writesBody(call)
  const written = isRead ? new PassThrough() : undefined
  const given = whole ?? (written && streamBody(written))
  if (redirect) {
    const { from, response } = redirect
    const hop = {
      from,
      status: response.statusCode ?? 0,
      redirect: 'follow',
      method,
      body: given,
    } as const
    allowRedirect(scheme, settings, trail, hop, () => url)
  } else if (trail.isCovered) {
    assertSendable(scheme, url)
  }
  if (trail.isCovered && native.socketPath !== undefined) {
    // Every socket would be of the one origin http://unix, whatever program listens on it.
    throw urlError('a request over a Unix socket has no origin; nothing was sent')
  }
  assertUnused(options.body)
  // got reads it as soon as there is a request.
  noteRead(options.body)
  const line = requestLine({ method, url })
  call.url = url
  const own = OutgoingHeaders.read(headerLines(headerEntries(native.headers))).without(
    (name) => name === 'host' || (!trail.isCovered && isSensitive(name, settings, trail)),
  )
  const { body, headers } = readFraming(given, own, line)
  return { method, url, headers, body, signal, redirect: 'manual', written, isWhole: !!whole }
}

/** The bodies of forms, by the source that got is given in place of a form. */
const forms = new WeakMap<object, SerializedBody>()

/**
 * Returns a form in a shape that can be read again: got reads a `FormData` as a stream, which could
 * neither be signed nor be sent once more.
 */
export function replayableForm(form: FormData): {
  readonly source: AsyncIterable<Uint8Array>
  readonly contentType: string
  readonly size: number
} {
  const { blob, contentType } = encodeMultipart(form)
  const body = serializeBody(blob)
  const source = { [Symbol.asyncIterator]: () => body.chunks()[Symbol.asyncIterator]() }
  forms.set(source, body)
  return { source, contentType, size: blob.size }
}

/** Returns the body that got is about to send, if it is held whole. */
function readGotBody({ body }: GotOptions): SerializedBody | undefined {
  if (typeof body === 'string') return serializeBody(body)
  // got's types allow any view; a shared one cannot be sent by Node.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
  if (ArrayBuffer.isView(body)) return serializeBody(body as Uint8Array<ArrayBuffer>)
  return typeof body === 'object' && body !== null ? forms.get(body) : undefined
}

/** Tells if got writes a stream, or leaves that to the caller of `got.stream`, who may end without it. */
function writesBody({ options, redirect }: GotCall): boolean {
  const { body, method, isStream, allowGetBody } = options
  if (body !== undefined) return true
  // After a redirect the caller writes no more.
  return isStream && !redirect && method !== 'HEAD' && (method !== 'GET' || allowGetBody)
}

/** Opens a request through the user's own `request` function, or as got itself would. */
async function nativeRequest(
  options: GotOptions,
  own: GotRequestFunction | undefined,
  native: RequestOptions,
  url: URL,
  wireUrl: string | undefined,
): Promise<unknown> {
  // For a request function that is not its own, got leaves out what HTTP/2 needs.
  const { headers: _headers, ...settings }: RequestOptions = own
    ? native
    : options.createNativeRequestOptions()
  const target = {
    ...settings,
    // A signature covers the host of the URL.
    setHost: true,
    // A URL would be parsed, and the signed form is sent as it stands.
    ...(wireUrl !== undefined && { path: wireUrl.slice(wireUrl.indexOf('/', 'https://'.length)) }),
  }
  return (await own?.(url, target)) ?? defaultRequestFunction(options)(url, target)
}

/** Returns the function that got sends with if the user has none. */
function defaultRequestFunction(options: GotOptions): GotRequestFunction {
  const { request } = options
  options.request = undefined
  try {
    // got's types leave its fallbacks out.
    return options.getRequestFunction() as GotRequestFunction
  } finally {
    options.request = request
  }
}

/** Options that handlers and hooks are given, as far as got 14, 15 and 16 agree about them. */
export interface GotOptions {
  readonly url: string | URL | undefined
  readonly method: string
  readonly headers: Record<string, string | string[] | undefined>
  readonly signal: AbortSignal | undefined
  readonly isStream: boolean
  readonly allowGetBody: boolean
  body: unknown
  request: unknown
  createNativeRequestOptions(): object
  getRequestFunction(): unknown
}

/** A function that sends for got, with the parameters of `http.request`. */
export type GotRequestFunction = (
  url: URL | RequestOptions,
  options?: RequestOptions | ResponseCallback,
  callback?: ResponseCallback,
) => unknown

/** A function that a cache wants to be called with the response. */
type ResponseCallback = (response: IncomingMessage) => void
