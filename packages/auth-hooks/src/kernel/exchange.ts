import type { Authorization, AuthScheme, OutgoingBody, OutgoingRequest } from '@svc/types'
import { untilAborted } from '../kit/async.ts'
import type { ExchangeSettings } from './options.ts'
import { type Hop, nextHop, type RedirectTo } from './redirect.ts'
import type { OutgoingHeaders } from './headers.ts'
import { outgoing } from './request.ts'
import {
  describesBody,
  isCredential,
  isRedirect,
  redirectedMethod,
  type RedirectResponse,
  redirectTarget,
  staysWithOrigin,
} from './redirect.ts'

/** A request as an adapter read it, once, from what its client was given. */
export interface ExchangeRequest {
  readonly method: string
  readonly url: URL
  readonly headers: OutgoingHeaders
  readonly body: OutgoingBody | undefined
  readonly signal: AbortSignal | undefined
  /** What the caller wants of redirects: `manual` and `error` win over the options. */
  readonly redirect: 'follow' | 'error' | 'manual'
}

/** How a client sends one attempt, and what it calls an answer. */
export interface Transport<Sent extends ExchangeRequest, Answer> {
  /** Whether what `send` gives rejects by itself once the signal of the request aborts. */
  readonly heedsSignal?: boolean
  /** Sends one attempt; follows no redirect. `isReplay` says that it is not the first one. */
  send(request: Sent, authorization: Authorization | undefined, isReplay: boolean): Promise<Answer>
  /** What an answer says in its head. */
  head(answer: Answer): RedirectResponse
  /** Reads away an answer that nobody will see. */
  discard(answer: Answer): void
  /** The request to the target of a redirect. */
  redirected(request: Sent, changes: RedirectedRequest): Sent
}

/** What a redirect changes about a request. */
export type RedirectedRequest = Pick<ExchangeRequest, 'method' | 'url' | 'headers'> & {
  readonly keepsBody: boolean
}

/** What came of an exchange. */
export interface Outcome<Sent, Answer> {
  readonly answer: Answer
  /** The request that was answered: that of the last hop. */
  readonly request: Sent
  /** How many redirects were followed. */
  readonly hops: number
}

/**
 * One call of the caller's, through any client: every attempt and every hop of it, each authorized on
 * its own. A client that follows redirects by itself begins with one that is covered.
 */
export async function exchange<Sent extends ExchangeRequest, Answer>(
  scheme: AuthScheme,
  settings: ExchangeSettings,
  transport: Transport<Sent, Answer>,
  first: Sent,
  reason: OutgoingRequest['reason'] = 'initial',
): Promise<Outcome<Sent, Answer>> {
  let request = first
  let hops = 0
  let isCovered = true
  let isReplay = false
  let reasons: readonly string[] = []
  // What schemes have added so far.
  let added: Authorization['headers'] = []

  for (let attempt = 1; ; attempt += 1) {
    // Between two attempts the caller may have given up.
    request.signal?.throwIfAborted()
    let authorization: Authorization | undefined
    if (isCovered) {
      const pending = scheme.authorize(outgoing(request, attempt, reason))
      authorization =
        pending instanceof Promise ? await untilAborted(pending, request.signal) : pending
    }
    let answer: Answer
    try {
      const sent = transport.send(request, authorization, isReplay)
      answer = await (transport.heedsSignal ? sent : untilAborted(sent, request.signal))
    } catch (error) {
      authorization?.abandon?.()
      throw error
    }

    let next: Sent
    try {
      const head = transport.head(answer)
      const verdict = authorization?.review?.(head)
      const asked =
        verdict instanceof Promise ? await untilAborted(verdict, request.signal) : verdict
      if (asked !== undefined && !reasons.includes(asked) && request.body?.replayable !== false) {
        reasons = reasons.concat(asked)
        added = added.concat(authorization?.headers ?? [])
        reason = asked
        next = request
      } else {
        if (request.redirect === 'manual' || !isRedirect(head)) return { answer, request, hops }
        const from = { url: request.url, redirect: request.redirect, status: head.status }
        const before = { hops, isCovered }
        const hop = nextHop(scheme, settings, from, before, () => redirection(request, head))
        if (!hop) return { answer, request, hops }
        hops += 1
        isCovered = hop.isCovered
        reason = 'redirect'
        added = added.concat(authorization?.headers ?? [])
        const isWithheld = withheld(settings, added)
        next = transport.redirected(request, redirected(request, head.status, hop, isWithheld))
      }
    } catch (error) {
      // Not cancelled at once: Node would read on a request body that is still being sent.
      transport.discard(answer)
      throw error
    }
    isReplay = true
    request = next
    transport.discard(answer)
  }
}

/** The test whether a header must not reach what is not covered. */
function withheld(
  { sensitiveHeaders }: ExchangeSettings,
  added: Authorization['headers'],
): (name: string) => boolean {
  return (name) =>
    isCredential(name) ||
    sensitiveHeaders.has(name) ||
    added.some(([own]) => own.toLowerCase() === name)
}

/** What `fetch` makes of a redirect. */
function redirection(request: ExchangeRequest, head: RedirectResponse): RedirectTo | undefined {
  const { url, body } = request
  const target = redirectTarget(head, url)
  if (!target) return undefined
  // A fragment that the target does not name is the one of the request.
  if (!target.hash) target.hash = url.hash
  const { method, keepsBody } = redirectedMethod(head.status, request.method)
  return { target, method, body: keepsBody ? body : undefined }
}

function redirected(
  request: ExchangeRequest,
  status: number,
  { target, isCovered }: Hop,
  isWithheld: (name: string) => boolean,
): RedirectedRequest {
  const { method, keepsBody } = redirectedMethod(status, request.method)
  const isElsewhere = target.origin !== request.url.origin
  const headers = request.headers.without(
    (name) =>
      (!keepsBody && describesBody(name)) ||
      (isElsewhere && staysWithOrigin(name)) ||
      (!isCovered && isWithheld(name)),
  )
  return { method, url: target, headers, keepsBody }
}
