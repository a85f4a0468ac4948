import type { IncomingMessage, RequestOptions } from 'node:http'
import { PassThrough } from 'node:stream'
import type { AuthScheme } from '@svc/types'
import { AuthError } from '../kit/errors.ts'
import { contentLength } from '../kernel/body-headers.ts'
import { exchange, type ExchangeRequest, type Transport } from '../kernel/exchange.ts'
import type { ExchangeSettings } from '../kernel/options.ts'
import { readGotBody } from './got-body.ts'
import { GotHop } from './client-request.ts'
import type { GotOptions, GotRequestFunction } from './got-options.ts'
import { openGotRequest } from './got-transport.ts'
import { refuseRecodedHead } from '../node/head-encoding.ts'
import { nextHop } from '../kernel/next-hop.ts'
import { OutgoingHeaders } from '../kernel/headers.ts'
import { isCredential } from '../kernel/redirect.ts'
import { readRequestUrl, refuseUncovered } from '../kernel/request-url.ts'

/** A request of got's that is about to leave: an attempt, or a hop of a redirect. */
export interface GotCall {
  readonly options: GotOptions
  /** The `request` option of the user's own. */
  readonly request: GotRequestFunction | undefined
  /** What redirected here. */
  readonly redirect: { readonly from: URL; readonly status: number } | undefined
  /** How many redirects led here. */
  readonly hops: number
  /** The names of the headers that the scheme added on the way. */
  readonly added: Set<string>
  /** Whether credentials may go along: no hop was outside. */
  isCovered: boolean
  /** The URL that was sent. */
  url: URL | undefined
}

/**
 * Sends a request of got's, and once more where the scheme asks for it. Settles when it is authorized
 * for the first time, since that is when got begins to count its timeouts.
 */
export function sendGotRequest(
  scheme: AuthScheme,
  settings: ExchangeSettings,
  call: GotCall,
  parameters: Parameters<GotRequestFunction>,
): Promise<GotHop> {
  return new Promise((resolve, reject) => {
    const { options, added } = call
    const [first, second, third] = parameters
    // With a cache, the URL stands in the options as well.
    const [nativeOptions, callback] = typeof second === 'object' ? [second, third] : [first, second]
    let written: PassThrough | undefined
    const request = readGotRequest(scheme, settings, call, nativeOptions, () => {
      written = new PassThrough()
      return written
    })
    let hop: GotHop | undefined
    const transport: Transport<ExchangeRequest, IncomingMessage> = {
      send({ body, ...sent }, authorization) {
        for (const [name] of authorization?.headers ?? []) added.add(name.toLowerCase())
        const wrapped = authorization?.body
        const headers = sent.headers.with([
          ...(authorization?.headers ?? []),
          ...(wrapped ? [contentLength(wrapped)] : []),
        ])
        refuseRecodedHead(headers)
        if (!hop) {
          hop = new GotHop(written)
          if (callback) hop.once('response', callback)
          resolve(hop)
        }
        return hop.send(
          () => openGotRequest(options, call.request, nativeOptions, sent.url, authorization?.url),
          headers,
          wrapped ?? body,
        )
      },
      head: ({ statusCode = 0, headers }) => ({ status: statusCode, headers: read(headers) }),
      discard: (message) => void hop?.discard(message),
      // got follows redirects by itself.
      redirected: (sent) => sent,
    }
    const reason = call.redirect ? 'redirect' : 'initial'
    const answered = call.isCovered
      ? exchange(scheme, settings, transport, request, reason).then(({ answer }) => answer)
      : transport.send(request, undefined, false)
    answered
      .then((answer) => hop?.respond(answer))
      .catch((error: unknown) => {
        if (hop) hop.destroy(error instanceof Error ? error : new Error(String(error)))
        else reject(error)
      })
  })
}

/** Reads a request as all hooks left it, and decides whether it gets credentials. */
function readGotRequest(
  scheme: AuthScheme,
  settings: ExchangeSettings,
  call: GotCall,
  nativeOptions: RequestOptions,
  openWritten: () => PassThrough,
): ExchangeRequest {
  const { options, redirect, hops, added, isCovered } = call
  const { method, signal } = options
  const url = readRequestUrl(String(options.url))
  const body = readGotBody(options, openWritten)
  if (redirect) {
    const from = { url: redirect.from, status: redirect.status, redirect: 'follow' } as const
    const before = { hops: hops - 1, isCovered }
    const hop = nextHop(scheme, settings, from, before, () => ({ target: url, method, body }))
    call.isCovered = hop?.isCovered ?? false
  } else if (isCovered) {
    refuseUncovered(scheme, url)
  }
  if (call.isCovered && nativeOptions.socketPath !== undefined) {
    // Every socket would be of the one origin http://unix, whoever listens on it.
    throw new AuthError(
      'ERR_AUTH_URL',
      '[@svc/auth-hooks] a request over a Unix socket has no origin; nothing was sent',
    )
  }
  call.url = url
  const given = read(nativeOptions.headers).without(
    (name) =>
      name === 'host' ||
      (!call.isCovered &&
        (added.has(name) || settings.sensitiveHeaders.has(name) || isCredential(name))),
  )
  const isOwnLength = body?.replayable && !given.has('transfer-encoding')
  const headers = isOwnLength ? given.with([contentLength(body)]) : given
  return { method, url, headers, body, signal, redirect: 'manual' }
}

/** Reads headers as Node has them: several values in an array, and those of HTTP/2 with a colon. */
function read(headers: RequestOptions['headers']): OutgoingHeaders {
  const pairs: [string, string][] = []
  for (const [name, values] of Object.entries(headers ?? {})) {
    if (values === undefined || name.startsWith(':')) continue
    if (!Array.isArray(values)) pairs.push([name, `${values}`])
    else for (const value of values) pairs.push([name, value])
  }
  return OutgoingHeaders.read(pairs)
}
