import type {
  Authorization,
  AuthScheme,
  OutgoingBody,
  OutgoingRequest,
  RetryReason,
} from '@svc/types'
import { requestTraces, traceRequest } from '#platform'
import { abortable, assertNotAborted, isThenable, type MaybePromise } from '../kit/async.ts'
import { AuthError } from '../kit/errors.ts'
import { areHeaderChanges } from './headers.ts'
import type { ExchangeSettings } from './options.ts'
import {
  followRedirect,
  isRedirect,
  type RedirectedRequest,
  type RedirectResponse,
  type Trail,
} from './redirect.ts'
import { covers, type ExchangeRequest, requestLine, toOutgoingRequest } from './request.ts'

/**
 * A client, as the kernel drives it: it sends attempts and follows no redirect.
 *
 * @template Result - What its caller gets of the last response.
 */
export interface Transport<Sent extends ExchangeRequest, Response, Result = Response> {
  /** `true` if the promise of `send` rejects by itself once the signal of the request aborts. */
  readonly heedsSignal?: boolean
  /** Sends one attempt. */
  send(request: Sent, authorization: Authorization | undefined): Promise<Response>
  /** Returns the head of a response to a request. */
  responseHead(response: Response, request: Sent): RedirectResponse
  /**
   * Reads and discards a response that nobody will see. It is not cancelled at once: Node would read on a
   * request body that is still being sent.
   */
  discard(response: Response): void
  /** Returns the request to the target of a redirect. */
  redirected(request: Sent, changes: RedirectedRequest): Sent
  /**
   * Returns the result of a call: its last response, for the request of the last hop, after so many
   * redirects.
   */
  complete(response: Response, request: Sent, hops: number): MaybePromise<Result>
}

/** The beginning of an exchange. */
export interface ExchangeStart {
  readonly reason: OutgoingRequest['reason']
  /** The reasons of further attempts so far, which the hops of one call share. */
  readonly reasons: string[]
}

/**
 * A call of the caller's that is under way. Thousands may wait for their response at once, so it holds
 * little, and no async function waits with it.
 */
interface Call<Sent extends ExchangeRequest, Response, Result> {
  readonly scheme: AuthScheme
  readonly settings: ExchangeSettings
  readonly transport: Transport<Sent, Response, Result>
  request: Sent
  attempt: number
  reason: OutgoingRequest['reason']
  /** `undefined` until there is one. */
  reasons: string[] | undefined
  /** `undefined` until a response is not the last one. */
  trail: Trail | undefined
  /** The request whose body was sent in place, and its digest: since then the caller may have changed it. */
  sentInPlace: { readonly request: Sent; readonly digest: string } | undefined
}

/**
 * Carries out one call of the caller's, through any client: every attempt and every hop of it, each
 * authorized on its own. A client that follows redirects by itself begins with one that is covered.
 */
export function exchange<Sent extends ExchangeRequest, Response, Result>(
  scheme: AuthScheme,
  settings: ExchangeSettings,
  transport: Transport<Sent, Response, Result>,
  request: Sent,
  start?: ExchangeStart,
): Promise<Result> {
  if (!requestTraces.hasSubscribers) {
    return beginExchange(scheme, settings, transport, request, start)
  }
  return traceRequest(scheme, transport, request, (watched) =>
    beginExchange(scheme, settings, watched, request, start),
  )
}

function beginExchange<Sent extends ExchangeRequest, Response, Result>(
  scheme: AuthScheme,
  settings: ExchangeSettings,
  transport: Transport<Sent, Response, Result>,
  request: Sent,
  start: ExchangeStart | undefined,
): Promise<Result> {
  const call: Call<Sent, Response, Result> = {
    scheme,
    settings,
    transport,
    request,
    attempt: 1,
    reason: start?.reason ?? 'initial',
    reasons: start?.reasons,
    trail: undefined,
    sentInPlace: undefined,
  }
  try {
    return authorizeAttempt(call)
  } catch (error) {
    return Promise.reject(error)
  }
}

function authorizeAttempt<Sent extends ExchangeRequest, Response, Result>(
  call: Call<Sent, Response, Result>,
): Promise<Result> {
  const { scheme, request, trail } = call
  // Between two attempts the caller may have given up.
  assertNotAborted(request.signal)
  if (trail?.isCovered === false) return sendAttempt(call, undefined)
  if (call.sentInPlace && request.body) return redirectUnchanged(call, call.sentInPlace)
  const authorization = authorize(scheme, request, call.attempt, call.reason)
  return isThenable(authorization)
    ? sendAuthorized(call, authorization)
    : sendAttempt(call, authorization)
}

async function sendAuthorized<Sent extends ExchangeRequest, Response, Result>(
  call: Call<Sent, Response, Result>,
  authorization: PromiseLike<Authorization>,
): Promise<Result> {
  try {
    // The caller goes on meanwhile.
    keepBody(call.request.body)
  } catch (error) {
    authorization.then(
      (late) => late.abandon?.(),
      () => {},
    )
    throw error
  }
  return sendAttempt(call, await authorization)
}

function sendAttempt<Sent extends ExchangeRequest, Response, Result>(
  call: Call<Sent, Response, Result>,
  authorization: Authorization | undefined,
): Promise<Result> {
  const { transport, request } = call
  let sent: Promise<Response> | undefined
  const fail = (error: unknown): never => {
    authorization?.abandon?.()
    void discardLate(transport, sent)
    throw error
  }
  try {
    const digest = authorization?.bodyDigest
    // A body that wraps it is read while it is sent.
    if (digest === undefined || authorization?.body) keepBody(request.body)
    sent = transport.send(request, authorization)
    if (digest !== undefined && request.body?.peek?.()) call.sentInPlace = { request, digest }
  } catch (error) {
    return fail(error)
  }
  const waited = transport.heedsSignal ? sent : abortable(sent, request.signal)
  return waited.then((response) => {
    let head: RedirectResponse
    try {
      head = transport.responseHead(response, request)
    } catch (error) {
      return fail(error)
    }
    return reviewAttempt(call, authorization, response, head)
  }, fail)
}

/** Copies a body that is still the caller's own, before anybody but a scheme sees it. */
export function keepBody(body: OutgoingBody | undefined): void {
  if (body?.peek) void body.bytes()
}

/** Discards a response that nobody waits for any more, as one that comes after an abort. */
async function discardLate<Sent extends ExchangeRequest, Response, Result>(
  transport: Transport<Sent, Response, Result>,
  sent: Promise<Response> | undefined,
): Promise<void> {
  try {
    const late = await sent
    if (late) transport.discard(late)
  } catch {
    // It failed, as its caller knows.
  }
}

function reviewAttempt<Sent extends ExchangeRequest, Response, Result>(
  call: Call<Sent, Response, Result>,
  authorization: Authorization | undefined,
  response: Response,
  head: RedirectResponse,
): MaybePromise<Result> {
  const { transport, request, reasons = [] } = call
  const discard = (error: unknown): never => {
    transport.discard(response)
    throw error
  }
  let retry: MaybePromise<RetryReason | undefined>
  try {
    retry = retryReason(authorization, request, head, reasons)
  } catch (error) {
    return discard(error)
  }
  return isThenable(retry)
    ? abortable(retry, request.signal).then(
        (reason) => endAttempt(call, authorization, response, head, reason),
        discard,
      )
    : endAttempt(call, authorization, response, head, retry)
}

/** Hands a response on to the caller, or sends the next attempt in its place. */
function endAttempt<Sent extends ExchangeRequest, Response, Result>(
  call: Call<Sent, Response, Result>,
  authorization: Authorization | undefined,
  response: Response,
  head: RedirectResponse,
  retry: RetryReason | undefined,
): MaybePromise<Result> {
  const { scheme, settings, transport, request } = call
  if (retry === undefined && !isRedirect(head)) {
    return transport.complete(response, request, call.trail?.hops ?? 0)
  }
  const trail = (call.trail ??= { hops: 0, isCovered: true, added: [] })
  if (authorization) trail.added.push(authorization.headers)
  if (retry !== undefined && call.sentInPlace) {
    return replayUnchanged(call, call.sentInPlace.digest, response, retry)
  }
  let isHandedOn = false
  try {
    if (retry === undefined) {
      const changes = followRedirect(scheme, settings, request, head, trail)
      if (!changes) {
        isHandedOn = true
        return transport.complete(response, request, trail.hops)
      }
      call.request = transport.redirected(request, changes)
      call.reason = 'redirect'
    } else {
      ;(call.reasons ??= []).push(retry)
      call.reason = retry
    }
  } finally {
    if (!isHandedOn) transport.discard(response)
  }
  call.attempt += 1
  return authorizeAttempt(call)
}

/**
 * Sends a body again that was sent in place, if the caller has not changed it since: else nothing can be signed
 * that was asked for, and the response is the last one.
 */
async function replayUnchanged<Sent extends ExchangeRequest, Response, Result>(
  call: Call<Sent, Response, Result>,
  digest: string,
  response: Response,
  retry: RetryReason,
): Promise<Result> {
  const { scheme, transport, request } = call
  const complete = (): MaybePromise<Result> =>
    transport.complete(response, request, call.trail?.hops ?? 0)
  try {
    keepBody(request.body)
  } catch {
    return complete()
  }
  let authorization: Authorization
  try {
    assertNotAborted(request.signal)
    authorization = await authorize(scheme, request, call.attempt + 1, retry)
  } catch (error) {
    transport.discard(response)
    throw error
  }
  if (authorization.bodyDigest !== digest) {
    authorization.abandon?.()
    return complete()
  }
  transport.discard(response)
  // From now on it is a copy.
  call.sentInPlace = undefined
  ;(call.reasons ??= []).push(retry)
  call.reason = retry
  call.attempt += 1
  return sendAttempt(call, authorization)
}

/**
 * Sends a body that was sent in place to the target of a redirect, if the caller has not changed it since.
 *
 * @throws AuthError `ERR_AUTH_BODY` if it has changed.
 */
async function redirectUnchanged<Sent extends ExchangeRequest, Response, Result>(
  call: Call<Sent, Response, Result>,
  earlier: { readonly request: Sent; readonly digest: string },
): Promise<Result> {
  const { scheme, request, attempt, reason } = call
  keepBody(request.body)
  const authorization = await authorize(scheme, request, attempt, reason)
  let { bodyDigest } = authorization
  try {
    if (bodyDigest !== earlier.digest) {
      // The scheme of the target may sign the body in another way, or not at all.
      const again = await authorize(scheme, earlier.request, attempt, reason)
      again.abandon?.()
      bodyDigest = again.bodyDigest
    }
    if (bodyDigest !== earlier.digest) throw changedError(request)
  } catch (error) {
    authorization.abandon?.()
    throw error
  }
  // From now on it is a copy.
  call.sentInPlace = undefined
  return sendAttempt(call, authorization)
}

function changedError(request: ExchangeRequest): AuthError {
  return new AuthError(
    'ERR_AUTH_BODY',
    `[@svc/auth-hooks] ${requestLine(request)}: the buffer of the body was changed during the call, and is not sent again`,
  )
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
  const hasHeaders = areHeaderChanges(headers)
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

/** The maximum number of attempts beyond the first that a scheme may ask for in one call. */
const maxRetries = 8

/** Returns the reason to send the request once more, if its scheme gives one that is new. */
export function retryReason(
  authorization: Authorization | undefined,
  { body }: Pick<ExchangeRequest, 'body'>,
  head: RedirectResponse,
  earlier: readonly string[],
): MaybePromise<RetryReason | undefined> {
  const given = authorization?.review?.(head)
  // So it is for nearly every response.
  if (given === undefined) return undefined
  // A scheme without types may say no in any way.
  const accept = (reason: unknown): RetryReason | undefined =>
    typeof reason === 'string' &&
    reason &&
    !earlier.includes(reason) &&
    earlier.length < maxRetries &&
    body?.replayable !== false
      ? reason
      : undefined
  return isThenable(given) ? Promise.resolve(given).then(accept) : accept(given)
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
