import type { Authorization, AuthScheme, OutgoingRequest, RetryReason } from '@svc/types'
import { abortable, assertNotAborted, chain, isThenable, type MaybePromise } from '../kit/async.ts'
import { AuthError } from '../kit/errors.ts'
import type { ExchangeSettings } from './options.ts'
import {
  followRedirect,
  type RedirectedRequest,
  type RedirectResponse,
  type Trail,
} from './redirect.ts'
import { covers, type ExchangeRequest, toOutgoingRequest } from './request.ts'

/** A client, as the kernel drives it: it sends attempts and follows no redirect. */
export interface Transport<Sent extends ExchangeRequest, Response> {
  /** `true` if the promise of `send` rejects by itself once the signal of the request aborts. */
  readonly heedsSignal?: boolean
  /** Sends one attempt. */
  send(request: Sent, authorization: Authorization | undefined): Promise<Response>
  /** Returns the head of a response. */
  responseHead(response: Response): RedirectResponse
  /**
   * Reads and discards a response that nobody will see. It is not cancelled at once: Node would read on a
   * request body that is still being sent.
   */
  discard(response: Response): void
  /** Returns the request to the target of a redirect. */
  redirected(request: Sent, changes: RedirectedRequest): Sent
}

/** The beginning of an exchange. */
export interface ExchangeStart {
  readonly reason: OutgoingRequest['reason']
  /** The reasons of further attempts so far, which the hops of one call share. */
  readonly reasons: string[]
}

/** The end of an exchange. */
export interface ExchangeResult<Sent, Response> {
  readonly response: Response
  /** The request of the last hop. */
  readonly request: Sent
  /** The number of redirects that were followed. */
  readonly hops: number
}

/**
 * Carries out one call of the caller's, through any client: every attempt and every hop of it, each
 * authorized on its own. A client that follows redirects by itself begins with one that is covered.
 */
export async function exchange<Sent extends ExchangeRequest, Response>(
  scheme: AuthScheme,
  settings: ExchangeSettings,
  transport: Transport<Sent, Response>,
  first: Sent,
  { reason: firstReason, reasons }: ExchangeStart = { reason: 'initial', reasons: [] },
): Promise<ExchangeResult<Sent, Response>> {
  const trail: Trail = { hops: 0, isCovered: true, added: [] }
  let reason = firstReason

  for (let request = first, attempt = 1; ; attempt += 1) {
    // Between two attempts the caller may have given up.
    assertNotAborted(request.signal)
    let authorization = trail.isCovered ? authorize(scheme, request, attempt, reason) : undefined
    if (isThenable(authorization)) authorization = await authorization
    let sent: Promise<Response> | undefined
    let response: Response | undefined
    let head: RedirectResponse | undefined
    let isHandedOn = false
    try {
      sent = transport.send(request, authorization)
      response = await (transport.heedsSignal ? sent : abortable(sent, request.signal))
      if (authorization) trail.added.push(authorization.headers)
      head = transport.responseHead(response)
      let retry = retryReason(authorization, request, head, reasons)
      if (isThenable(retry)) retry = await abortable(retry, request.signal)
      if (retry !== undefined) {
        reasons.push(retry)
        reason = retry
        continue
      }
      const changes = followRedirect(scheme, settings, request, head, trail)
      if (!changes) {
        isHandedOn = true
        return { response, request, hops: trail.hops }
      }
      request = transport.redirected(request, changes)
      reason = 'redirect'
    } finally {
      if (head === undefined) {
        authorization?.abandon?.()
        // One that comes after an abort is nobody's.
        Promise.resolve(sent)
          .then((late) => late && transport.discard(late))
          .catch(() => {})
      } else if (response && !isHandedOn) transport.discard(response)
    }
  }
}

/**
 * Asks a scheme about one attempt of a request, no longer than the request's signal allows.
 *
 * @throws AuthError `ERR_AUTH_SCHEME` if the scheme gives no credential, whatever its promise is.
 */
export function authorize(
  scheme: AuthScheme,
  request: ExchangeRequest,
  attempt: number,
  reason: OutgoingRequest['reason'],
): MaybePromise<Authorization> {
  const given = scheme.authorize(toOutgoingRequest(request, attempt, reason))
  if (!isThenable(given)) return assertAuthorization(scheme, request, given)
  const pending = Promise.resolve(given)
  const check = (value: Authorization): Authorization => assertAuthorization(scheme, request, value)
  return abortable(pending, request.signal).then(check, (error: unknown) => {
    // One that comes later was used by nobody.
    if (request.signal?.aborted) pending.then((late) => late?.abandon?.()).catch(() => {})
    throw error
  })
}

function assertAuthorization(
  scheme: AuthScheme,
  { url }: ExchangeRequest,
  value: Authorization,
): Authorization {
  const headers: unknown = value?.headers
  const hasHeaders = Array.isArray(headers) && headers.every(isHeaderChange)
  if (hasHeaders && hasOriginOf(url, value.url)) return value
  const [name, description] = hasHeaders
    ? ['url', 'a URL of the origin of the request']
    : ['headers', 'an array of [name, value]']
  throw new AuthError(
    'ERR_AUTH_SCHEME',
    `[@svc/auth-hooks] authorize of the scheme ${scheme.name} must return ${name}, ${description}; ` +
      'nothing was sent',
  )
}

/** Tells if a wire form begins as its URL does, up to the path: no parser reads another origin in it. */
function hasOriginOf({ href }: URL, wireUrl: unknown): boolean {
  if (wireUrl === undefined) return true
  if (typeof wireUrl !== 'string') return false
  const end = href.indexOf('/', 'https://'.length)
  // Every signed request comes here: `origin` and a part of a text are made anew each time.
  for (let index = 0; index <= end; index += 1) {
    if (wireUrl.charCodeAt(index) !== href.charCodeAt(index)) return false
  }
  return true
}

function isHeaderChange(header: unknown): boolean {
  return (
    Array.isArray(header) &&
    typeof header[0] === 'string' &&
    (typeof header[1] === 'string' || header[1] === null)
  )
}

/** The maximum number of attempts beyond the first that a scheme may ask for in one call. */
const maxRetries = 8

/** Returns the reason to send the request once more, if its scheme gives one that is new. */
export function retryReason(
  authorization: Authorization | undefined,
  { body }: Pick<ExchangeRequest, 'body'>,
  head: RedirectResponse,
  earlier: readonly string[],
): MaybePromise<RetryReason | undefined> {
  return chain(authorization?.review?.(head), (reason) =>
    // A scheme without types may say no in any way.
    typeof reason === 'string' &&
    reason &&
    !earlier.includes(reason) &&
    earlier.length < maxRetries &&
    body?.replayable !== false
      ? reason
      : undefined,
  )
}

/** Lets a scheme obtain what a request will need; the request itself meets the error of a failure. */
export async function prepareQuietly(
  scheme: AuthScheme,
  request: {
    readonly method: string
    readonly url: URL
    readonly signal?: AbortSignal | undefined
  },
): Promise<void> {
  const { method, url, signal } = request
  try {
    if (!scheme.prepare || !covers(scheme, url)) return
    await abortable(scheme.prepare({ method, url, ...(signal && { signal }) }), signal)
  } catch {
    // It goes through the client's own handling there.
  }
}
