import type { AuthScheme } from '@svc/types'
import type { FetchRequest } from './request.ts'
import { type FetchResponse, headerOf } from './send.ts'

/** As many as browsers follow. */
export const maxRedirects = 20

/** A redirect, and the request that it leads to. */
export interface Redirect {
  readonly target: URL
  /** The request to the target, or the reason for which there is none. */
  readonly next: FetchRequest | 'elsewhere' | 'pipe'
}

/**
 * Reads the redirect of a response; `undefined` if it is none. It is followed here and not by undici, which takes a
 * redirect to the same URL for a circle, as after a form.
 *
 * @see https://fetch.spec.whatwg.org/#http-redirect-fetch
 */
export function readRedirect(
  request: FetchRequest,
  response: FetchResponse,
  auth: Pick<AuthScheme, 'covers'>,
): Redirect | undefined {
  const { status } = response
  const location = headerOf(response, 'location')
  if (![301, 302, 303, 307, 308].includes(status) || location === undefined) return undefined
  if (!URL.canParse(location, request.url.href)) return undefined
  const target = new URL(location, request.url)
  target.hash = ''
  return { target, next: nextRequest(request, status, target, auth) }
}

function nextRequest(
  request: FetchRequest,
  status: number,
  url: URL,
  auth: Pick<AuthScheme, 'covers'>,
): Redirect['next'] {
  const isPlain = /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
  if (!isPlain || !auth.covers(url)) return 'elsewhere'
  const { method, body, headers } = request
  const becomesGet = status === 303 ? method !== 'HEAD' : status < 303 && method === 'POST'
  if (!becomesGet) return body && body.size === undefined ? 'pipe' : { ...request, url }
  const isOfBody = ([name]: readonly [name: string, value: string | undefined]): boolean =>
    /^(?:content-(?:digest|encoding|language|length|location|md5|type)|x-[a-z]+-content-sha256)$/.test(
      name,
    )
  return {
    ...request,
    url,
    method: 'GET',
    body: undefined,
    headers: headers.filter((line) => !isOfBody(line)),
  }
}
