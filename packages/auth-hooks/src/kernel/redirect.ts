import type { AuthScheme, OutgoingBody, ResponseHead } from '@svc/types'
import { AuthError } from '../kit/errors.ts'
import { emit } from '../kit/events.ts'
import type { ExchangeSettings } from './options.ts'

/** What {@link redirectTarget} needs of a response. */
export type RedirectResponse = ResponseHead & { readonly type?: Response['type'] }

/** Whether a response is a redirect, known or hidden. */
export function isRedirect({ status, type }: RedirectResponse): boolean {
  return (status > 300 && [301, 302, 303, 307, 308].includes(status)) || type === 'opaqueredirect'
}

/**
 * Where a response redirects to, or `undefined` where it is no redirect.
 *
 * @throws AuthError `ERR_AUTH_REDIRECT` where the target cannot be known or is no http(s) URL.
 * @see https://fetch.spec.whatwg.org/#concept-response-location-url
 */
export function redirectTarget(response: RedirectResponse, from: URL): URL | undefined {
  if (response.type === 'opaqueredirect') {
    throw refusal(from, 'a redirect whose target the browser hides')
  }
  if (!isRedirect(response)) return undefined
  const location = response.headers.get('location')
  if (location === null) return undefined
  const target = URL.canParse(utf8(location), from.href) && new URL(utf8(location), from)
  if (!target || !/^https?:$/.test(target.protocol) || target.username || target.password) {
    throw refusal(from, 'a redirect to something other than a plain http(s) URL')
  }
  return target
}

/**
 * The method after a redirect, and whether the body goes along.
 *
 * @see https://fetch.spec.whatwg.org/#http-redirect-fetch
 */
export function redirectedMethod(
  status: number,
  method: string,
): { method: string; keepsBody: boolean } {
  const becomesGet =
    status === 303 ? method !== 'GET' && method !== 'HEAD' : status < 303 && method === 'POST'
  return becomesGet ? { method: 'GET', keepsBody: false } : { method, keepsBody: true }
}

/** The headers that describe a body, and go where it goes. */
export function describesBody(name: string): boolean {
  return /^(?:content-(?:digest|encoding|language|length|location|md5|type)|digest|x-amz-content-sha256)$/.test(
    name,
  )
}

/** The headers of the caller's that `fetch` itself does not send to another origin. */
export function staysWithOrigin(name: string): boolean {
  return name === 'authorization' || name === 'cookie' || name === 'proxy-authorization'
}

/** The headers that carry credentials of this service, whoever set them. */
export function isCredential(name: string): boolean {
  return staysWithOrigin(name) || name.startsWith('x-amz-') || name.startsWith('x-svc-')
}

/** The error for a redirect that is not followed. */
export function refusal({ origin, pathname }: URL, what: string, status?: number): AuthError {
  return new AuthError(
    'ERR_AUTH_REDIRECT',
    `[@svc/auth-hooks] ${origin}${pathname} answered with ${what}`,
    { status },
  )
}

// Header values come as Latin-1, and servers write addresses in UTF-8.
function utf8(location: string): string {
  if (!/[\x80-\xff]/.test(location)) return location
  const bytes = Uint8Array.from(location, (character) => character.charCodeAt(0))
  return new TextDecoder().decode(bytes)
}

/** What redirects: an answer to a request of this URL. */
export interface RedirectFrom {
  readonly url: URL
  readonly status: number
  /** What the caller wants of redirects. */
  readonly redirect: 'follow' | 'error' | 'manual'
}

/** What a redirect leads to, as it would be sent. */
export interface RedirectTo {
  readonly target: URL
  readonly method: string
  /** The body that goes along, if any. */
  readonly body: OutgoingBody | undefined
}

/** Where the next request goes, and whether it gets credentials. */
export interface Hop {
  readonly target: URL
  readonly isCovered: boolean
}

/**
 * Decides about a redirect: the next hop, or `undefined` where there is none.
 *
 * @param before - How many redirects were followed, and whether all hops were covered.
 * @param read - What the client makes of the redirect; what it throws is told as a refusal.
 * @throws AuthError `ERR_AUTH_REDIRECT` where it must not be followed.
 */
export function nextHop(
  scheme: AuthScheme,
  settings: ExchangeSettings,
  { url, status, redirect }: RedirectFrom,
  before: { readonly hops: number; readonly isCovered: boolean },
  read: () => RedirectTo | undefined,
): Hop | undefined {
  let to: string | undefined
  try {
    const next = read()
    if (!next) return undefined
    const { target, method, body } = next
    to = target.origin
    if (redirect === 'error') {
      throw refusal(url, `a redirect to ${to}, but the request has redirect: 'error'`, status)
    }
    if (!(before.hops < settings.maxRedirects)) {
      throw refusal(url, `a redirect beyond maxRedirects (${settings.maxRedirects})`, status)
    }
    // Once outside, the way back is the other origin's choice and gets no credential either.
    const isCovered = before.isCovered && scheme.covers(target)
    if (!isCovered) {
      const isSafe = method === 'GET' || method === 'HEAD'
      const isDowngrade = url.protocol === 'https:' && target.protocol === 'http:'
      if (settings.redirect !== 'follow' || !isSafe || isDowngrade) {
        throw refusal(url, `a redirect to ${to}, which is not covered`, status)
      }
    }
    if (body?.replayable === false) {
      throw refusal(url, `a redirect to ${to}, but the body cannot be sent again`, status)
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
      ...(to && { to }),
    }))
    throw error
  }
}
