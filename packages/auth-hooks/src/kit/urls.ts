import { check } from './checks.ts'
import { AuthError } from './errors.ts'

/**
 * Reads the address of an environment.
 *
 * @throws TypeError naming `baseUrl` if it is missing, empty or not a URL, uses a protocol other
 * than http or https, or has credentials, a query or a fragment.
 * @example
 * import { parseBaseUrl } from '@svc/auth-hooks/scheme'
 *
 * const caller = '[my-package] createMyAuth'
 * const { origin, pathname } = parseBaseUrl('https://search.example.com/api', caller)
 * console.log(origin, pathname) // https://search.example.com /api
 * @see https://url.spec.whatwg.org/#url-parsing
 */
export function parseBaseUrl(baseUrl: string | URL, caller: string): URL {
  // Any other value is no URL, whatever its text may be.
  const text = typeof baseUrl === 'string' ? baseUrl : baseUrl instanceof URL ? baseUrl.href : ''
  check(
    URL.canParse(text),
    caller,
    'baseUrl must be an absolute URL such as https://search.example.com',
  )
  const url = new URL(text)
  check(/^https?:$/.test(url.protocol), caller, 'baseUrl must be an http(s) URL')
  const hasUser = url.username || url.password || /^[^:]+:[/\\]*[^/\\]*@/.test(text)
  check(!hasUser, caller, 'baseUrl must not contain credentials')
  check(!/[?#]/.test(text), caller, 'baseUrl must not have a query or a fragment')
  return url
}

/**
 * Tells if a URL's host is loopback, where plain http reaches nobody else: `localhost`, names below
 * it, 127.0.0.0/8 and `[::1]`.
 *
 * @example
 * import { isLoopback } from '@svc/auth-hooks/scheme'
 *
 * console.log(isLoopback(new URL('http://127.0.0.1:8080'))) // true
 * @see https://www.rfc-editor.org/rfc/rfc6761#section-6.3
 */
export function isLoopback(url: URL): boolean {
  return /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/.test(url.hostname)
}

/**
 * Tells if a path has a segment that decodes to `.` or `..`. A URL parser resolves those it sees,
 * but an encoded slash hides others from it, though not from the server.
 *
 * @example
 * import { hasDotSegment } from '@svc/auth-hooks/scheme'
 *
 * console.log(hasDotSegment('/V1/a%2f..%2fb')) // true
 * @see https://www.rfc-editor.org/rfc/rfc3986#section-3.3
 */
export function hasDotSegment(pathname: string): boolean {
  return /(?:^|\/|%2f)(?:\.|%2e){1,2}(?:\/|%2f|$)/i.test(pathname)
}

/**
 * Throws unless a path is free of segments that decode to `.` or `..`.
 *
 * @param packageName - The package that a message begins with, in brackets.
 * @throws AuthError `ERR_AUTH_URL`
 * @example
 * import { assertNoDotSegment } from '@svc/auth-hooks/scheme'
 *
 * assertNoDotSegment(new URL('https://search.example.com/V1/a'), '[my-package]')
 * @see https://www.rfc-editor.org/rfc/rfc3986#section-3.3
 */
export function assertNoDotSegment(
  url: { readonly origin: string; readonly pathname: string },
  packageName: string,
): void {
  if (!hasDotSegment(url.pathname)) return
  throw new AuthError(
    'ERR_AUTH_URL',
    `${packageName} ${url.origin}${url.pathname} has a segment that decodes to a dot segment`,
  )
}

/**
 * Returns the base of relative URLs in a page or a worker, as `fetch` uses it; elsewhere there is none.
 *
 * @example
 * import { documentBaseUrl } from '@svc/auth-hooks/scheme'
 *
 * console.log(new URL('/user/groups', documentBaseUrl() ?? 'https://search.example.com').href)
 * @see https://html.spec.whatwg.org/multipage/urls-and-fetching.html#document-base-url
 */
export function documentBaseUrl(): string | undefined {
  return globalThis.document?.baseURI ?? globalThis.location?.href
}

/**
 * Returns the test of a URL's origin against a list. The `*` in `https://*.example.com` stands for
 * one label. An empty list covers nothing.
 *
 * @param option - The name of the option, for messages.
 * @param home - An address whose origin is also covered.
 * @throws TypeError if an entry is not an http(s) origin; the message names it.
 * @example
 * import { matchOrigins } from '@svc/auth-hooks/scheme'
 *
 * const origins = ['https://*.search.example.com']
 * const covers = matchOrigins(origins, '[my-package] createMyAuth', 'origins')
 * console.log(covers(new URL('https://bucket.search.example.com/key'))) // true
 * @see https://www.rfc-editor.org/rfc/rfc6454
 */
export function matchOrigins(
  origins: readonly (string | URL)[],
  caller: string,
  option: string,
  home?: URL,
): (url: URL) => boolean {
  check(Array.isArray(origins), caller, `${option} must be an array of origins`)
  const exact = new Set<string>()
  const wildcards: Wildcard[] = []
  for (const [index, entry] of origins.entries()) {
    const name = `${option}[${index}]`
    const text = String(entry)
    const star = /^(https?:\/\/)\*\.(.+)$/i.exec(text)
    if (star) {
      const { protocol, host } = parseOrigin(`${star[1]}${star[2]}`, caller, name)
      wildcards.push({ protocol, suffix: `.${host}` })
    } else {
      exact.add(parseOrigin(text, caller, name).origin)
    }
  }
  const isListed = (url: URL): boolean =>
    exact.has(url.origin) || wildcards.some((wildcard) => covers(wildcard, url))
  if (!home) return isListed
  exact.add(home.origin)
  // Most requests go there, and `origin` is put together anew each time that it is read.
  const start = `${home.origin}/`
  return (url) => url.href.startsWith(start) || isListed(url)
}

interface Wildcard {
  readonly protocol: string
  readonly suffix: string
}

function covers({ protocol, suffix }: Wildcard, url: URL): boolean {
  if (url.protocol !== protocol || !url.host.endsWith(suffix)) return false
  const label = url.host.slice(0, -suffix.length)
  return label !== '' && !label.includes('.')
}

function parseOrigin(text: string, caller: string, name: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isOrigin =
    url !== undefined &&
    /^https?:$/.test(url.protocol) &&
    !url.host.includes('*') &&
    url.href === `${url.origin}/`
  check(isOrigin, caller, `${name} must be an http(s) origin such as https://search.example.com`)
  return url
}
