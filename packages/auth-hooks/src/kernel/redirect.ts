import type { Authorization, AuthScheme, ResponseHead } from '@svc/types'
import { isRedirectStatus } from '../kit/checks.ts'
import { type AuthError, hooksError } from '../kit/errors.ts'
import { emit } from '../kit/events.ts'
import { redirectedOrigin } from '../kit/urls.ts'
import type { ExchangeSettings } from './options.ts'
import { covers, type ExchangeRequest, requestLine, withoutQuery } from './request.ts'

/** The head of a response, as far as a redirect is concerned. */
export type RedirectResponse = ResponseHead & { readonly type?: Response['type'] }

export type RedirectedRequest = Pick<ExchangeRequest, 'method' | 'url' | 'headers'> & {
  readonly keepsBody: boolean
}

/** The redirects of one call so far. */
export interface Trail {
  hops: number
  /** `true` as long as no hop was outside; the way back from there gets no credential either. */
  isCovered: boolean
  /** The headers that schemes have added, by attempt. */
  readonly added: Authorization['headers'][]
}

interface Redirect extends Pick<ExchangeRequest, 'redirect' | 'method' | 'body'> {
  readonly from: URL
  readonly status: number
}

/**
 * Returns the request that a response leads to, or `undefined` if the caller gets the response.
 *
 * @throws AuthError `ERR_AUTH_REDIRECT` if the redirect must not be followed.
 * @see https://fetch.spec.whatwg.org/#http-redirect-fetch
 */
export function followRedirect(
  scheme: AuthScheme,
  settings: ExchangeSettings,
  request: ExchangeRequest,
  response: RedirectResponse,
  trail: Trail,
): RedirectedRequest | undefined {
  if (request.redirect === 'manual' || !hasTarget(response)) return undefined
  const { url: from, redirect } = request
  const { status } = response
  const keepsBody = !becomesGet(status, request.method)
  const method = keepsBody ? request.method : 'GET'
  const body = keepsBody ? request.body : undefined
  const hop = { from, status, redirect, method, body }
  const target = allowRedirect(scheme, settings, trail, hop, () =>
    readRedirectTarget(response, from),
  )
  const crossOrigin = target.origin !== from.origin
  const headers = request.headers.without(
    (name) =>
      (!keepsBody && isBodyHeader(name)) ||
      (crossOrigin && isOriginBoundHeader(name)) ||
      (!trail.isCovered && isSensitive(name, settings, trail)),
  )
  return { method, url: target, headers, keepsBody }
}

/**
 * Decides about one redirect: returns the target, with the trail brought up to it, or throws. An error of `readTarget`
 * is reported as a refused redirect.
 */
export function allowRedirect(
  scheme: AuthScheme,
  settings: ExchangeSettings,
  trail: Trail,
  { from, status, redirect, method, body }: Redirect,
  readTarget: () => URL,
): URL {
  const refusal = (description: string): AuthError => redirectError(from, description, status)
  const report = (
    event:
      | { readonly type: 'redirect.followed'; readonly to: string; readonly authorized: boolean }
      | { readonly type: 'redirect.refused'; readonly to?: string },
  ): void =>
    emit(settings.onEvent, () => ({ scheme: scheme.name, status, from: from.origin, ...event }))
  let to: string | undefined
  try {
    const target = readTarget()
    to = target.origin
    if (redirect === 'error') {
      throw refusal(`a redirect to ${to}, but the request has redirect: 'error'`)
    }
    if (!(trail.hops < settings.maxRedirects)) {
      throw refusal(`a redirect beyond maxRedirects (${settings.maxRedirects})`)
    }
    const isCovered = trail.isCovered && covers(scheme, target, from)
    if (!isCovered) {
      const isSafe = method === 'GET' || method === 'HEAD'
      const isDowngrade = from.protocol === 'https:' && target.protocol === 'http:'
      if (settings.redirect !== 'follow' || !isSafe || isDowngrade) {
        throw refusal(`a redirect to ${to}, which is not covered`)
      }
    }
    if (body?.replayable === false) {
      throw refusal(`a redirect to ${to}, but the body cannot be sent again`)
    }
    report({ type: 'redirect.followed', to, authorized: isCovered })
    trail.hops += 1
    trail.isCovered = isCovered
    return target
  } catch (error) {
    report({ type: 'redirect.refused', ...(to && { to }) })
    throw error
  }
}

/** Tells if a header must not reach a URL that is not covered. The name is in lower case. */
export function isSensitive(
  name: string,
  { isSensitiveHeader }: Pick<ExchangeSettings, 'isSensitiveHeader'>,
  { added }: Pick<Trail, 'added'>,
): boolean {
  return (
    isOriginBoundHeader(name) ||
    isSensitiveHeader(name) ||
    added.some((headers) => headers.some(([own]) => own.toLowerCase() === name))
  )
}

/** Tells if a header of the caller's is one that `fetch` itself does not send to another origin. */
export function isOriginBoundHeader(name: string): boolean {
  return /^(?:cookie|(?:proxy-)?authorization)$/.test(name)
}

/** Tells if a header describes a body, and goes where it goes: so does its hash, in a vendor's name. */
function isBodyHeader(name: string): boolean {
  return /^(?:content-(?:digest|encoding|language|length|location|md5|type)|digest|x-[a-z]+-content-sha256)$/.test(
    name,
  )
}

/** Tells if a response leads to another URL, which a browser hides. */
export function hasTarget({ status, type, headers }: RedirectResponse): boolean {
  return type === 'opaqueredirect' || (isRedirectStatus(status) && headers.has('location'))
}

export function readRedirectTarget(response: RedirectResponse, from: URL): URL {
  if (response.type === 'opaqueredirect') {
    throw redirectError(from, 'a redirect whose target the browser hides')
  }
  const location = utf8(response.headers.get('location') ?? '')
  const target = URL.canParse(location, from.href) && new URL(location, from)
  if (!target || !/^https?:$/.test(target.protocol) || target.username || target.password) {
    throw redirectError(from, 'a redirect to something other than a plain http(s) URL')
  }
  // A fragment that the target does not name is the one of the request.
  if (!target.hash) target.hash = from.hash
  return target
}

/** Tells if a redirect makes a request a GET, without its body. */
function becomesGet(status: number, method: string): boolean {
  return status === 303 ? method !== 'GET' && method !== 'HEAD' : status < 303 && method === 'POST'
}

export function redirectError(from: URL, description: string, status?: number): AuthError {
  return hooksError(
    'ERR_AUTH_REDIRECT',
    `${withoutQuery(from)} responded with ${description}`,
    status,
  )
}

// Header values come as Latin-1, and servers write addresses in UTF-8.
function utf8(location: string): string {
  if (!/[\x80-\xff]/.test(location)) return location
  const bytes = Uint8Array.from(location, (character) => character.charCodeAt(0))
  return new TextDecoder().decode(bytes)
}

/** Throws if a response comes from the target of a redirect that its `fetch` followed by itself. */
export function assertNotFollowed(response: Response, request: ExchangeRequest): void {
  const to = redirectedOrigin(response, request.url)
  if (to === undefined) return
  throw hooksError(
    'ERR_AUTH_REDIRECT',
    `${requestLine(request)} was redirected to ${to} by a fetch that ignores redirect: 'manual'; ` +
      'the credential may have gone there',
    response.status,
  )
}
