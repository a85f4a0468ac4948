import type { AuthScheme, OutgoingBody } from '@svc/types'
import { emit } from '../kit/events.ts'
import type { ExchangeSettings } from './options.ts'
import { refusal } from './redirect.ts'

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
