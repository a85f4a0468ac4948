/**
 * The smallest `authFetch` that keeps the promises, for pages and workers that send text and bytes.
 *
 * @module @svc/auth-hooks/light
 */
import type { Authorization, AuthScheme, Fetch, OutgoingRequest, ResponseHead } from '@svc/types'
import { bodyError } from '../kernel/errors.ts'
import { authorize, retryReason } from '../kernel/exchange.ts'
import {
  type ExchangeRequest,
  readFetchFields,
  readPlainUrl,
  requestLine,
} from '../kernel/request.ts'
import { abortable, assertNotAborted } from '../kit/async.ts'
import {
  assertScheme,
  check,
  checkFunctions,
  checkOptions,
  isRedirectStatus,
  isRequest,
} from '../kit/checks.ts'
import { AuthError } from '../kit/errors.ts'
import { assertHeedsRedirects } from '../kit/inner-fetch.ts'
import { documentBaseUrl } from '../kit/urls.ts'
import { LightHeaders, readHeaders } from './headers.ts'
import { type LightBody, readLightBody } from './body.ts'

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
  readonly headers: LightHeaders
  readonly body: LightBody | undefined
  readonly init: RequestInit
}

const caller = '[@svc/auth-hooks/light] authFetch'
const fullOne = 'authFetch of @svc/auth-hooks'

/**
 * Returns a `fetch` that authenticates every request, once per physical attempt, and sends it again if the scheme asks
 * for it: for a rejected token or a wrong clock. A URL that the scheme does not cover is an error, and nothing is sent.
 *
 * It takes a URL with a body of text, bytes, `URLSearchParams` or a `Blob`, and never follows a redirect. Anything else,
 * such as a `Request`, a stream or a form, is an error that names the `authFetch` of `@svc/auth-hooks`, which takes it.
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
  assertHeedsRedirects(fetch, caller)
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
        if (retry === undefined && leads(response) && request.redirect !== 'manual') {
          throw redirectError(request, response)
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
  const body = readLightBody(init.body, fullOne)
  if (isRequest(input)) {
    throw new AuthError('ERR_AUTH_REQUEST', `${caller}: a Request is taken by ${fullOne} alone`)
  }
  const url = readPlainUrl(input, documentBaseUrl(), `${fullOne}, with { baseUrl },`)
  const fields = readFetchFields(caller, scheme, url, init)
  const values = readHeaders(init.headers)
  const announced = values.get('content-length')
  if (announced !== undefined && announced !== `${body?.size ?? 0}`) {
    const line = requestLine({ ...fields, url })
    throw bodyError(`${line}: content-length must be the body's length in bytes`)
  }
  // Every runtime sends the host of the URL and frames the body by itself, and drops `__proto__` from a record.
  for (const name of ['host', 'content-length', 'transfer-encoding', '__proto__']) {
    values.delete(name)
  }
  const type = body?.contentType
  if (type && !values.has('content-type')) values.set('content-type', type)
  return { ...fields, url, headers: new LightHeaders(values), body, init }
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
      headers: headers.with(authorization.headers),
      redirect: 'manual',
      ...(body && { body: body.source }),
    })
    const response = await abortable(sent, signal)
    check(typeof response?.status === 'number', caller, 'fetch must resolve to a Response')
    // Some follow redirects whatever they are told.
    const { redirected, url: from } = response
    if (redirected || (from && new URL(from).origin !== url.origin)) {
      throw redirectError(request, response)
    }
    return response
  } catch (error) {
    authorization.abandon?.()
    // A response may come after an abort.
    sent?.then(discard).catch(() => {})
    throw error
  }
}

/** Tells if a response is a redirect, which a page is not shown. */
function leads({ type, status, headers }: Response): boolean {
  return type === 'opaqueredirect' || (isRedirectStatus(status) && headers.has('location'))
}

function redirectError(request: LightRequest, { status }: Response): AuthError {
  return new AuthError(
    'ERR_AUTH_REDIRECT',
    `[@svc/auth-hooks] ${requestLine(request)} was redirected; request the target, or use ${fullOne}`,
    { status },
  )
}

function discard(response: Response): void {
  response.body?.cancel().catch(() => {})
}
