import type { Authorization, AuthScheme, OutgoingRequest, RetryReason } from '@svc/types'
import { abortable, chain, isThenable, type MaybePromise } from '../kit/async.ts'
import type { ExchangeSettings } from './options.ts'
import {
  followRedirect,
  type RedirectedRequest,
  type RedirectResponse,
  type Trail,
} from './redirect.ts'
import { type ExchangeRequest, toOutgoingRequest } from './request.ts'

/** A client, as the kernel drives it: it sends attempts and follows no redirect. */
export interface Transport<Sent extends ExchangeRequest, Response> {
  /** `true` if the promise of `send` rejects by itself once the signal of the request aborts. */
  readonly heedsSignal?: boolean
  /** Sends one attempt; `isRetry` for every one but the first. */
  send(request: Sent, authorization: Authorization | undefined, isRetry: boolean): Promise<Response>
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
  firstReason: OutgoingRequest['reason'] = 'initial',
): Promise<ExchangeResult<Sent, Response>> {
  const trail: Trail = { hops: 0, isCovered: true, added: [] }
  const reasons: string[] = []
  let reason = firstReason

  for (let request = first, attempt = 1; ; attempt += 1) {
    // Between two attempts the caller may have given up.
    request.signal?.throwIfAborted()
    let authorization = trail.isCovered ? authorize(scheme, request, attempt, reason) : undefined
    if (isThenable(authorization)) authorization = await authorization
    let response: Response | undefined
    let isHandedOn = false
    try {
      const sent = transport.send(request, authorization, attempt > 1)
      response = await (transport.heedsSignal ? sent : abortable(sent, request.signal))
      if (authorization) trail.added.push(authorization.headers)
      const head = transport.responseHead(response)
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
      if (response === undefined) authorization?.abandon?.()
      else if (!isHandedOn) transport.discard(response)
    }
  }
}

/** Asks a scheme about one attempt of a request, no longer than the request's signal allows. */
export function authorize(
  scheme: AuthScheme,
  request: ExchangeRequest,
  attempt: number,
  reason: OutgoingRequest['reason'],
): MaybePromise<Authorization> {
  const authorization = scheme.authorize(toOutgoingRequest(request, attempt, reason))
  return isThenable(authorization) ? abortable(authorization, request.signal) : authorization
}

/** Returns the reason to send the request once more, if its scheme gives one that is new. */
export function retryReason(
  authorization: Authorization | undefined,
  { body }: Pick<ExchangeRequest, 'body'>,
  head: RedirectResponse,
  earlier: readonly string[],
): MaybePromise<RetryReason | undefined> {
  return chain(authorization?.review?.(head), (reason) =>
    reason === undefined || earlier.includes(reason) || body?.replayable === false
      ? undefined
      : reason,
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
  if (!scheme.prepare || !scheme.covers(url)) return
  try {
    await abortable(scheme.prepare({ method, url, ...(signal && { signal }) }), signal)
  } catch {
    // It goes through the client's own handling there.
  }
}
