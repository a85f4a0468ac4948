import type { Authorization, AuthEvent, AuthScheme, Fetch, OutgoingRequest } from '@svc/types'
import { untilAborted } from './abort.ts'
import { assertScheme } from './assert-scheme.ts'
import { drain } from './drain.ts'
import { emit } from './emit.ts'
import {
  defaultMaxReplayBytes,
  detachedInit,
  type FrozenRequest,
  freeze,
  outgoing,
} from './outgoing-request.ts'
import {
  describesBody,
  isCredential,
  redirectedMethod,
  redirectTarget,
  refusal,
  staysWithOrigin,
} from './redirect.ts'
import { send } from './send.ts'

/** Options of {@link authFetch}. */
export interface AuthFetchOptions {
  /**
   * The `fetch` that sends.
   *
   * @default the global one, looked up at each call
   */
  fetch?: Fetch | undefined
  /**
   * Where a redirect is followed: `covered`, only to URLs that the scheme covers; `follow`, GET and
   * HEAD elsewhere too, without any credential and never from https to http.
   *
   * @default 'covered'
   */
  redirect?: 'covered' | 'follow' | undefined
  /**
   * How many redirects are followed.
   *
   * @default 20
   */
  maxRedirects?: number | undefined
  /**
   * How much of the body of a `Request` is kept in bytes, to be hashed or sent again.
   *
   * @default 8 MiB
   */
  maxReplayBytes?: number | undefined
  /**
   * Headers of the caller's own that never leave the covered origins, beside those that `fetch`
   * itself and this library keep back.
   *
   * @default []
   */
  sensitiveHeaders?: readonly string[] | undefined
  /** Is told of redirects. */
  onEvent?: ((event: AuthEvent) => void) | undefined
}

/**
 * A `fetch` that authenticates every request: after all of a client's own hooks, once for every
 * physical attempt, and on a copy that the client's errors never see.
 *
 * It asks the scheme for each hop of a redirect anew, sends a request once more where the scheme asks
 * for it (a token that was refused, a clock that is off), and sends a credential to no URL that the
 * scheme does not cover.
 *
 * @throws TypeError at once, where an option is wrong; the message names it.
 * @throws AuthError from the `fetch` it returns: `ERR_AUTH_ORIGIN`, `ERR_AUTH_URL`, `ERR_AUTH_HEADER`,
 * `ERR_AUTH_BODY`, `ERR_AUTH_REDIRECT`, and whatever the scheme throws.
 * @example
 * const fetch = authFetch(createTokenAuth({ baseUrl, credentials }))
 * const groups = await fetch(`${baseUrl}/user/groups`)
 * @see https://fetch.spec.whatwg.org/#fetch-method
 */
export function authFetch(scheme: AuthScheme, options: AuthFetchOptions = {}): Fetch {
  const settings = readOptions(scheme, options)
  return async (input, init) => {
    const request = await freeze(scheme, input, init, settings.maxReplayBytes)
    return pass(scheme, settings, request)
  }
}

type Settings = ReturnType<typeof readOptions>

function readOptions(scheme: AuthScheme, options: AuthFetchOptions) {
  assertScheme('scheme', scheme)
  if (typeof options !== 'object' || options === null) {
    throw new TypeError('options must be an object')
  }
  const { fetch, redirect = 'covered', onEvent } = options
  if (fetch !== undefined && typeof fetch !== 'function') {
    throw new TypeError('fetch must be a function')
  }
  if (onEvent !== undefined && typeof onEvent !== 'function') {
    throw new TypeError('onEvent must be a function')
  }
  if (redirect !== 'covered' && redirect !== 'follow') {
    throw new TypeError("redirect must be 'covered' or 'follow'")
  }
  const sensitiveHeaders = options.sensitiveHeaders ?? []
  if (
    !Array.isArray(sensitiveHeaders) ||
    sensitiveHeaders.some((name) => typeof name !== 'string')
  ) {
    throw new TypeError('sensitiveHeaders must be an array of header names')
  }
  return {
    fetch,
    redirect,
    onEvent,
    maxRedirects: count('maxRedirects', options.maxRedirects ?? 20),
    maxReplayBytes: count('maxReplayBytes', options.maxReplayBytes ?? defaultMaxReplayBytes),
    sensitiveHeaders: new Set(sensitiveHeaders.map((name) => name.toLowerCase())),
  }
}

function count(name: string, value: number): number {
  if (Number.isSafeInteger(value) && value >= 0) return value
  throw new TypeError(`${name} must be a whole number that is not negative`)
}

/** One call of the caller's: every attempt and every hop of it. */
async function pass(
  scheme: AuthScheme,
  settings: Settings,
  first: FrozenRequest,
): Promise<Response> {
  let request = first
  let reason: OutgoingRequest['reason'] = 'initial'
  let hops = 0
  let isCovered = true
  let isReplay = false
  const reasons = new Set<string>()
  const added = new Set<string>()

  for (let attempt = 1; ; attempt += 1) {
    // Between two attempts the caller may have given up.
    request.signal?.throwIfAborted()
    let authorization: Authorization | undefined
    if (isCovered) {
      const pending = scheme.authorize(outgoing(request, attempt, reason))
      authorization =
        pending instanceof Promise ? await untilAborted(pending, request.signal) : pending
      for (const [name] of authorization.headers) added.add(name.toLowerCase())
    }
    const inner = settings.fetch ?? globalThis.fetch
    let response: Response
    try {
      const answer = send(inner, request, authorization, isReplay)
      response = await untilAborted(answer, request.signal)
    } catch (error) {
      authorization?.abandon?.()
      throw error
    }

    const verdict = authorization?.review?.(response)
    const asked = verdict instanceof Promise ? await untilAborted(verdict, request.signal) : verdict
    if (asked !== undefined && !reasons.has(asked) && request.body?.replayable !== false) {
      reasons.add(asked)
      reason = asked
      isReplay = true
      void drain(response)
      continue
    }
    if (request.redirect === 'manual') return response
    const hop = nextHop(scheme, settings, request, response, { hops, isCovered })
    if (!hop) return hops > 0 ? markRedirected(response) : response

    hops += 1
    isCovered = hop.isCovered
    request = redirected(request, response.status, hop, (name) => {
      if (added.has(name) || settings.sensitiveHeaders.has(name)) return true
      return isCredential(name)
    })
    reason = 'redirect'
    isReplay = true
    void drain(response)
  }
}

interface Hop {
  readonly target: URL
  readonly isCovered: boolean
}

/** Decides about a redirect: the next hop, `undefined` where there is none, or a typed error. */
function nextHop(
  scheme: AuthScheme,
  settings: Settings,
  request: FrozenRequest,
  response: Response,
  before: { hops: number; isCovered: boolean },
): Hop | undefined {
  const { url } = request
  const { status } = response
  let to: string | undefined
  try {
    const target = redirectTarget(response, url)
    if (!target) return undefined
    to = target.origin
    if (request.redirect === 'error') {
      throw refusal(url, `a redirect to ${to}, and the request asks for none`, status)
    }
    if (before.hops >= settings.maxRedirects) {
      throw refusal(url, `one redirect more than maxRedirects (${settings.maxRedirects})`, status)
    }
    const { method, keepsBody } = redirectedMethod(status, request.method)
    // Once outside, the way back is the other origin's choice and gets no credential either.
    const isCovered = before.isCovered && scheme.covers(target)
    if (!isCovered) {
      const isSafe = method === 'GET' || method === 'HEAD'
      const isDowngrade = url.protocol === 'https:' && target.protocol === 'http:'
      if (settings.redirect !== 'follow' || !isSafe || isDowngrade) {
        throw refusal(url, `a redirect to ${to}, which is not covered`, status)
      }
    }
    if (keepsBody && request.body && !request.body.replayable) {
      throw refusal(url, `a redirect to ${to} of a body that cannot be sent again`, status)
    }
    emit(settings.onEvent, () => ({
      type: 'redirect.followed',
      scheme: scheme.name,
      status,
      from: url.origin,
      to: target.origin,
      authorized: isCovered,
    }))
    return { target, isCovered }
  } catch (error) {
    emit(settings.onEvent, () => ({
      type: 'redirect.refused',
      scheme: scheme.name,
      status,
      from: url.origin,
      ...(to !== undefined && { to }),
    }))
    // Not cancelled at once: Node would read on a request body that is still being sent.
    void drain(response)
    throw error
  }
}

function redirected(
  request: FrozenRequest,
  status: number,
  { target, isCovered }: Hop,
  isWithheld: (name: string) => boolean,
): FrozenRequest {
  const { method, keepsBody } = redirectedMethod(status, request.method)
  const isElsewhere = target.origin !== request.url.origin
  const headers = request.headers.without(
    (name) =>
      (!keepsBody && describesBody(name)) ||
      (isElsewhere && staysWithOrigin(name)) ||
      (!isCovered && isWithheld(name)),
  )
  // A fragment that the target does not name is the one of the request.
  if (!target.hash) target.hash = request.url.hash
  const { body: _body, ...init } = detachedInit(request)
  const body = keepsBody ? request.body : undefined
  return { ...request, method, url: target, headers, body, init, carrier: undefined }
}

function markRedirected(response: Response): Response {
  // Each hop was a request of its own to the inner fetch, so it cannot know.
  Object.defineProperty(response, 'redirected', { value: true, configurable: true })
  return response
}
