import type { Authorization, AuthScheme, RetryReason } from '@svc/types'
import { followRedirect, traceRequest } from '#platform'
import { abortable, assertNotAborted, chain, isThenable, type MaybePromise } from '../kit/async.ts'
import { hooksError } from '../kit/errors.ts'
import { areHeaderChanges } from './headers.ts'
import type { ExchangeSettings } from './options.ts'
import type { RedirectedRequest, RedirectResponse, Trail } from './redirect.ts'
import {
  type Attempt,
  covers,
  type ExchangeRequest,
  type SchemeRequest,
  toOutgoingRequest,
} from './request.ts'

/** A client, as the kernel drives it: it sends attempts and follows no redirect. */
export interface Transport<Sent extends ExchangeRequest, Response> {
  /** `true` if the promise of `send` rejects by itself once the signal of the request aborts. */
  readonly heedsSignal?: boolean
  send(request: Sent, authorization: Authorization | undefined): Promise<Response>
  responseHead(response: Response, request: Sent): RedirectResponse
  /**
   * Reads and discards a response that is not handed on. It is not cancelled at once: Node would read on a
   * request body that is still being sent.
   */
  discard(response: Response): void
  /** Returns the request that a redirect leads to; `head` is that of the redirect. */
  redirected(request: Sent, changes: RedirectedRequest, head: RedirectResponse): Sent
  /** Ends the body of the first request of a call that failed. */
  release?(first: Sent, error: unknown): void
}

/** The beginning of an exchange that continues a call of the client's. */
export interface ExchangeStart extends Attempt {
  /** The reasons of further attempts so far, which the hops of one call share. */
  readonly reasons: string[]
}

/**
 * Carries out one call through any client: every attempt and every hop of it, each authorized on its own. A client
 * that follows redirects by itself begins with a hop that is covered.
 */
export function exchange<Sent extends ExchangeRequest, Response>(
  scheme: AuthScheme,
  settings: ExchangeSettings,
  transport: Transport<Sent, Response>,
  request: Sent,
  start?: ExchangeStart,
): Promise<Response> {
  return traceRequest(scheme, transport, request, (client) =>
    runExchange(scheme, settings, client, request, start),
  )
}

/** Stays synchronous up to the first send where the scheme is. */
async function runExchange<Sent extends ExchangeRequest, Response>(
  scheme: AuthScheme,
  settings: ExchangeSettings,
  transport: Transport<Sent, Response>,
  first: Sent,
  { reasons, ...start }: ExchangeStart = { attempt: 1, reason: 'initial', reasons: [] },
): Promise<Response> {
  const trail: Trail = { hops: 0, isCovered: true, added: [] }
  let request = first
  let { attempt, reason, previous } = start
  for (; ; attempt += 1) {
    let authorization: Authorization | undefined
    let sent: Promise<Response> | undefined
    let head: RedirectResponse | undefined
    try {
      // The caller may have given up between two attempts.
      assertNotAborted(request.signal)
      const pending = trail.isCovered
        ? authorize(scheme, request, { attempt, reason, previous })
        : undefined
      authorization = isThenable(pending) ? await pending : pending
      sent = transport.send(request, authorization)
      const response = await (transport.heedsSignal ? sent : abortable(sent, request.signal))
      head = transport.responseHead(response, request)
      const reviewed = retryReason(authorization, request, head, reasons)
      const retry = isThenable(reviewed) ? await abortable(reviewed, request.signal) : reviewed
      if (authorization) trail.added.push(authorization.headers)
      if (retry === undefined) {
        const changes = followRedirect(scheme, settings, request, head, trail)
        if (!changes) return response
        request = transport.redirected(request, changes, head)
        reason = 'redirect'
      } else {
        reasons.push(retry)
        reason = retry
      }
      transport.discard(response)
      previous = head
    } catch (error) {
      if (!head) authorization?.abandon?.()
      // A response may come after an abort.
      sent?.then((late) => transport.discard(late)).catch(() => {})
      transport.release?.(first, error)
      throw error
    }
  }
}

/** Asks a scheme about one attempt of a request, no longer than the request's signal allows. */
export function authorize(
  scheme: AuthScheme,
  request: SchemeRequest,
  attempt: Attempt,
): MaybePromise<Authorization> {
  const given = scheme.authorize(toOutgoingRequest(request, attempt))
  if (!isThenable(given)) return assertAuthorization(scheme, request, given)
  const pending = Promise.resolve(given)
  const check = (value: Authorization): Authorization => assertAuthorization(scheme, request, value)
  return abortable(pending, request.signal).then(check, (error: unknown) => {
    // An authorization that comes after an abort is not used.
    if (request.signal?.aborted) pending.then((late) => late?.abandon?.()).catch(() => {})
    throw error
  })
}

function assertAuthorization(
  scheme: AuthScheme,
  { url }: Pick<ExchangeRequest, 'url'>,
  value: Authorization,
): Authorization {
  const headers: unknown = value?.headers
  const hasHeaders = areHeaderChanges(headers)
  if (hasHeaders && hasOriginOf(url, value.url)) return value
  const [name, description] = hasHeaders
    ? ['url', 'a URL of the origin of the request']
    : ['headers', 'an array of [name, value]']
  throw hooksError(
    'ERR_AUTH_SCHEME',
    `authorize of the scheme ${scheme.name} must return ${name}, ${description}; ` +
      'nothing was sent',
  )
}

/** Tells if a wire form begins as its URL does, up to the path: no parser reads another origin in it. */
function hasOriginOf({ href }: URL, wireUrl: unknown): boolean {
  if (wireUrl === undefined) return true
  const start = href.slice(0, href.indexOf('/', 'https://'.length) + 1)
  return typeof wireUrl === 'string' && wireUrl.startsWith(start)
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
  // Nearly every response is accepted.
  if (given === undefined) return undefined
  return chain(given, (reason) => {
    // A scheme without types may say no in any way.
    const isNew = typeof reason === 'string' && reason !== '' && !earlier.includes(reason)
    const mayRepeat = earlier.length < maxRetries && body?.replayable !== false
    return isNew && mayRepeat ? reason : undefined
  })
}

/** Lets a scheme obtain what a request will need; the request itself meets the error of a failure. */
export async function prepareQuietly(
  scheme: AuthScheme,
  { method, url, signal }: Pick<ExchangeRequest, 'method' | 'url' | 'signal'>,
): Promise<void> {
  try {
    if (!scheme.prepare || !covers(scheme, url)) return
    await abortable(scheme.prepare({ method, url, ...(signal && { signal }) }), signal)
  } catch {
    // It goes through the client's own handling there.
  }
}
