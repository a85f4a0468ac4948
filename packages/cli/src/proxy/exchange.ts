import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { AuthError } from '@svc/auth-hooks'
import type { RawRequestHead } from '@svc/emulator/verify'
import type { Admission } from './admission.ts'
import type { Forward } from './forward.ts'
import { forwardedHeaders } from './headers.ts'
import type { RequestLog } from './log.ts'
import { openBody, type Upload } from './passed-body.ts'
import { createPassedBytes } from './passed-bytes.ts'
import { ProxyRefusal } from './refusal.ts'
import { assertHost, assertNoPage, assertUnambiguous, readHead } from './request-head.ts'
import { endResponse, writeRefusal } from './respond.ts'
import type { AssertAllowed } from './rules.ts'
import { readTarget, routeOf, type ServiceRoute } from './target.ts'

/** Everything that one request needs. */
export interface ExchangeSettings {
  /** `true` if the proxy listens on a socket, where no page can connect. */
  readonly isPrivateSocket: boolean
  readonly admit: (head: RawRequestHead, query: string) => Admission
  readonly assertAllowed: AssertAllowed
  readonly forward: Forward
  /** `true` if others cannot change what is sent to the service: https, or this machine. */
  readonly isPrivate: boolean
  readonly log: RequestLog
  /** Says why a request got no credential, as all commands do. */
  readonly describe: (error: unknown) => string
  readonly clock: () => number
}

/** Takes one request from its head to the end of its response. It never rejects. */
export type ProxyExchange = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/** Creates an exchange. */
export function createProxyExchange(settings: ExchangeSettings): ProxyExchange {
  const { clock, log, forward, isPrivate } = settings
  const onPassed = createPassedBytes()
  return async (request, response) => {
    const startedAt = clock()
    const head = readHead(request)
    let scheme: ServiceRoute | 'none' = 'none'
    const bytes = { up: 0, down: 0 }
    const counter = (way: 'up' | 'down') => (count: number) => {
      bytes[way] += count
      onPassed(count)
    }
    let upload: Upload | undefined
    let refusal: ProxyRefusal | undefined
    let isWaiting = isContinueExpected(request)
    try {
      const port = settings.isPrivateSocket ? undefined : (request.socket.localPort ?? 0)
      const { path, query, host, route, signature } = assertForwardable(head, port, settings)
      if (isWaiting) response.writeContinue()
      isWaiting = false
      const source = { source: request, head, route, signature, isPrivate, onBytes: counter('up') }
      const body = await openBody(source)
      upload = body.upload
      scheme = route
      const headers = forwardedHeaders(head.rawHeaders, body.headers)
      const target = query === '' ? path : `${path}?${query}`
      const forwarded = { method: head.method, target, headers, upload, host }
      await forward(forwarded, response, counter('down'))
      await endResponse(request, response)
    } catch (error) {
      refusal = readFailure(error, upload, settings.describe)
      writeRefusal(request, response, head, refusal)
      // Who waits to be told to go on sends nothing more.
      if (isWaiting) response.end()
      else await endResponse(request, response)
    }
    log({
      method: head.method,
      path: pathOf(head),
      scheme,
      status: response.headersSent ? response.statusCode : 0,
      ms: clock() - startedAt,
      bytesUp: bytes.up,
      bytesDown: bytes.down,
      ...(refusal && { code: refusal.code }),
    })
  }
}

/** Everything that is decided by the head of a request, before any of its body is read. */
function assertForwardable(
  head: RawRequestHead,
  port: number | undefined,
  { admit, assertAllowed }: ExchangeSettings,
): Admission & { readonly path: string; readonly host: string; readonly route: ServiceRoute } {
  assertUnambiguous(head)
  const host = assertHost(head, port)
  assertNoPage(head)
  const { path, query: sentQuery } = readTarget(head.method, head.target, host)
  const { signature, query } = admit(head, sentQuery)
  const route = routeOf(path)
  assertAllowed({ method: head.method, rawHeaders: head.rawHeaders, path, query })
  return { path, query, host, route, signature }
}

// A target that was refused may name a user with a password before its path.
function pathOf({ target }: RawRequestHead): string {
  return target.startsWith('/') ? (target.split('?', 1)[0] ?? '') : '-'
}

// A request of HTTP/1.0 cannot wait for it.
function isContinueExpected({ headers, httpVersion }: IncomingMessage): boolean {
  return headers.expect !== undefined && httpVersion === '1.1'
}

/** Reads the reason why a request was not forwarded, or had no response, from whatever was thrown. */
function readFailure(
  error: unknown,
  upload: Upload | undefined,
  describe: ExchangeSettings['describe'],
): ProxyRefusal {
  if (error instanceof ProxyRefusal) return error
  // A client that sends may wrap the error of the body that it was sending.
  const ofUpload = upload instanceof Readable ? upload.errored : undefined
  if (ofUpload instanceof ProxyRefusal) return ofUpload
  if (AuthError.is(error)) {
    const { code } = AuthError.is(error.cause) ? error.cause : error
    return /^ERR_AUTH_(?:BODY|HEADER|REQUEST|URL)$/.test(code)
      ? new ProxyRefusal(400, code, error.message)
      : new ProxyRefusal(502, code, `no credential could be added; ${describe(error)}`)
  }
  const code = codeOf(error)
  return /TIMEOUT|ETIMEDOUT/.test(code)
    ? new ProxyRefusal(504, code, `the service did not respond in time (${code})`)
    : new ProxyRefusal(502, code, `the service could not be reached, or broke off (${code})`)
}

/** Only the code, since a message may quote what was sent. */
function codeOf(error: unknown): string {
  const code: unknown =
    error instanceof Error
      ? (Reflect.get(error, 'code') ?? Reflect.get(Object(error.cause), 'code'))
      : undefined
  return typeof code === 'string' && /^\w{1,64}$/.test(code) ? code : 'BadGateway'
}
