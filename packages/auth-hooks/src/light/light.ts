/**
 * The smallest `authFetch` that keeps the promises, for pages and workers that send text and bytes.
 *
 * @module @svc/auth-hooks/light
 */
import type { Authorization, AuthScheme, Fetch, OutgoingRequest, ResponseHead } from '@svc/types'
import { assertFollowsNone } from '#platform'
import { bytesBody, lengthError, type SerializedBody, TextBody } from '../kernel/body.ts'
import { authorize, retryReason } from '../kernel/exchange.ts'
import { isSendable } from '../kernel/headers.ts'
import { hasTarget, redirectError } from '../kernel/redirect.ts'
import {
  type ExchangeRequest,
  readFetchFields,
  readPlainUrl,
  requestLine,
} from '../kernel/request.ts'
import { guardStream, releaseStream } from '../kernel/stream.ts'
import { abortable, assertNotAborted } from '../kit/async.ts'
import {
  assertScheme,
  check,
  checkFunctions,
  checkOptions,
  isHttpToken,
  isRequest,
} from '../kit/checks.ts'
import { AuthError, bodyError, headerError } from '../kit/errors.ts'
import { documentBaseUrl } from '../kit/urls.ts'

/** Options of {@link authFetch}. */
export interface AuthFetchOptions {
  /**
   * The inner fetch, which sends the requests.
   *
   * @default the global one, looked up at each call
   */
  fetch?: Fetch | undefined
}

/** A request as the caller gave it, read once. */
interface LightRequest extends Pick<ExchangeRequest, 'method' | 'url' | 'signal' | 'redirect'> {
  readonly headers: Headers
  readonly body: SerializedBody | undefined
  readonly init: RequestInit
}

const caller = '[@svc/auth-hooks/light] authFetch'
const fullOne = 'the full authFetch'

/**
 * Returns a `fetch` that authenticates every request, once per physical attempt, and sends it again if the scheme asks
 * for it: for a rejected token or a wrong clock. A URL that the scheme does not cover is an error, and nothing is sent.
 *
 * It takes a URL with a body of text, bytes, `URLSearchParams` or a `Blob`, and never follows a redirect. Anything else,
 * such as a `Request`, a stream or a form, is an error that names the full `authFetch`, which takes it: that of
 * `@svc/auth-hooks`, `@svc/auth-token` and `@svc/auth-sigv4`.
 *
 * @throws TypeError at construction, if an option is wrong; the message names it.
 * @throws AuthError from the returned `fetch`: `ERR_AUTH_ORIGIN`, `ERR_AUTH_URL`, `ERR_AUTH_HEADER`, `ERR_AUTH_BODY`,
 * `ERR_AUTH_REQUEST`, `ERR_AUTH_REDIRECT`, and the errors of the scheme.
 * @example
 * import { authFetch } from '@svc/auth-hooks/light'
 * import { createSigV4Auth } from '@svc/auth-sigv4'
 *
 * const baseUrl = 'https://search.example.com'
 * const credentials = { accessKeyId: 'an id', secretAccessKey: 'a secret' }
 * const serviceFetch = authFetch(createSigV4Auth({ baseUrl, region: 'eu-central-1', credentials }))
 * const response = await serviceFetch(new URL('/V1/reports', baseUrl))
 * console.log(await response.json())
 * @see https://fetch.spec.whatwg.org/#fetch-method
 */
export function authFetch(
  scheme: AuthScheme,
  options: AuthFetchOptions = {},
): (input: string | URL, init?: RequestInit) => Promise<Response> {
  assertScheme(scheme, caller, 'scheme')
  const names = { fetch: 'fetchImpl customFetch' }
  const { fetch } = checkOptions(options, caller, names, `; ${fullOne} has more`)
  checkFunctions({ fetch }, caller)
  assertFollowsNone(fetch, caller)
  return async (input, init) => {
    const request = readRequest(scheme, input, init)
    const { signal } = request
    const reasons: string[] = []
    let reason: OutgoingRequest['reason'] = 'initial'
    let previous: ResponseHead | undefined
    for (let attempt = 1; ; attempt += 1) {
      assertNotAborted(signal)
      const authorization = await authorize(scheme, request, { attempt, reason, previous })
      const response = await send(fetch ?? globalThis.fetch, request, authorization)
      let retry: string | undefined
      try {
        retry = await retryReason(authorization, request, response, reasons)
        if (retry === undefined && hasTarget(response) && request.redirect !== 'manual') {
          throw redirected(request, response)
        }
      } catch (error) {
        discard(response)
        throw error
      }
      if (retry === undefined) return response
      discard(response)
      reasons.push(retry)
      reason = retry
      previous = response
    }
  }
}

function readRequest(
  scheme: AuthScheme,
  input: string | URL,
  given: RequestInit = {},
): LightRequest {
  const init = { ...given }
  const body = readBody(init.body)
  if (isRequest(input)) {
    throw new AuthError('ERR_AUTH_REQUEST', `${caller}: a Request is taken by ${fullOne} alone`)
  }
  const url = readPlainUrl(input, documentBaseUrl(), `${fullOne}, with { baseUrl },`)
  const fields = readFetchFields(caller, scheme, url, init)
  const headers = readHeaders(init.headers)
  // Most requests have none of their own.
  if (init.headers) {
    const announced = headers.get('content-length')
    if (announced !== null && announced !== `${body?.size ?? 0}`) {
      throw lengthError(requestLine({ ...fields, url }))
    }
    // Every runtime sends the host of the URL and frames the body by itself, and drops `__proto__` from a record.
    for (const name of ['host', 'content-length', 'transfer-encoding', '__proto__']) {
      headers.delete(name)
    }
  }
  const type = body?.contentType
  if (type && !headers.has('content-type')) headers.set('content-type', type)
  return { ...fields, url, headers, body, init }
}

/** Copies a body that is in memory or in a `Blob`, and can be sent any number of times. */
function readBody(source: unknown): SerializedBody | undefined {
  if (source === undefined || source === null) return undefined
  if (typeof source === 'string') return new TextBody(source, 'text/plain;charset=UTF-8')
  if (source instanceof URLSearchParams) {
    return new TextBody(String(source), 'application/x-www-form-urlencoded;charset=UTF-8')
  }
  if (ArrayBuffer.isView(source)) {
    return bytesBody(new Uint8Array(source.buffer, source.byteOffset, source.byteLength).slice())
  }
  if (source instanceof ArrayBuffer) return bytesBody(new Uint8Array(source.slice()))
  if (source instanceof Blob) {
    const bytes = async (): Promise<Uint8Array> => new Uint8Array(await source.arrayBuffer())
    return {
      source,
      size: source.size,
      replayable: true,
      ...(source.type && { contentType: source.type }),
      bytes,
      async *chunks() {
        yield await bytes()
      },
    }
  }
  // It will not be sent, and its failure must not end the process.
  guardStream(source)
  releaseStream(source)
  throw bodyError(`the body must be text, bytes, URLSearchParams or a Blob; ${fullOne} takes more`)
}

function readHeaders(given: RequestInit['headers']): Headers {
  try {
    return new Headers(given)
  } catch {
    // The platform's own error would show the value.
    throw unsendable()
  }
}

/** Returns headers as a record, with those of a scheme. A `Headers` for each attempt would cost a third of a call. */
function headersWith(headers: Headers, changes: Authorization['headers']): Record<string, string> {
  const record: Record<string, string> = {}
  for (const [name, value] of [...headers, ...changes]) {
    const key = name.toLowerCase()
    if (value === null) delete record[key]
    else if (isHttpToken(name) && isSendable(value)) record[key] = value
    else throw unsendable()
  }
  return record
}

function unsendable(): Error {
  return headerError('a header has a name or a value that cannot be sent')
}

async function send(
  fetch: Fetch,
  request: LightRequest,
  authorization: Authorization,
): Promise<Response> {
  const { init, method, headers, url, body, signal } = request
  let sent: Promise<Response> | undefined
  try {
    if (authorization.body) {
      throw bodyError(
        `${requestLine(request)}: the scheme streams the body, which takes ${fullOne}`,
      )
    }
    sent = fetch(authorization.url ?? url.href, {
      ...init,
      method,
      headers: headersWith(headers, authorization.headers),
      redirect: 'manual',
      ...(body && { body: body.source }),
    })
    const response = await abortable(sent, signal)
    check(typeof response?.status === 'number', caller, 'fetch must resolve to a Response')
    // Some follow redirects whatever they are told.
    const { url: from } = response
    if (response.redirected || (from && new URL(from).origin !== url.origin)) {
      throw redirected(request, response)
    }
    return response
  } catch (error) {
    authorization.abandon?.()
    // A response may come after an abort.
    sent?.then(discard).catch(() => {})
    throw error
  }
}

function redirected({ url }: LightRequest, { status }: Response): AuthError {
  return redirectError(url, `a redirect; request its target, or use ${fullOne}`, status)
}

function discard(response: Response): void {
  response.body?.cancel().catch(() => {})
}
