import { assertStandardUrl } from '#platform'
import type { AuthScheme } from '@svc/types'
import { check } from './checks.ts'
import { readPath } from './paths.ts'

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
  assertStandardUrl(caller)
  const text = urlText(baseUrl)
  const url = URL.canParse(text) && new URL(text)
  check(
    url && /^https?:$/.test(url.protocol),
    caller,
    'baseUrl must be an absolute URL such as https://search.example.com or http://localhost:9000',
  )
  const hasUser = url.username || url.password || /^[^:]+:[/\\]*[^/\\]*@/.test(text)
  check(!hasUser, caller, 'baseUrl must not contain credentials')
  check(!/[?#]/.test(text), caller, 'baseUrl must not have a query or a fragment')
  return url
}

/**
 * Tells if a URL's host is loopback, where plain http reaches no other machine: `localhost`, names below it, 127.0.0.0/8
 * and `[::1]`.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6761#section-6.3
 */
export function isLoopback(url: URL): boolean {
  return /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/.test(url.hostname)
}

/** Says in words what {@link matchOrigins} covers by the options `baseUrl` and `origins`. */
export function describeOrigins(
  home: { readonly origin: string; readonly pathname?: string },
  origins: readonly string[],
): string {
  const path = (home.pathname ?? '').replace(/\/$/, '')
  return `${[home.origin + path, ...origins].join(', ')} (set by baseUrl and origins)`
}

/** Says of a URL that a scheme does not cover it, and what it covers instead: the end of a message. */
export function uncovered(scheme: AuthScheme, url: URL): string {
  const covered = scheme.coverage?.(url)
  const other =
    isLoopback(url) &&
    ['localhost', '127.0.0.1', '[::1]'].find((host) => {
      const candidate = new URL(url)
      candidate.hostname = host
      return scheme.covers(candidate)
    })
  return (
    `is not covered by the scheme ${scheme.name}` +
    (covered ? `, which covers ${covered}` : '') +
    (other ? `; ${url.hostname} and ${other} are different origins` : '')
  )
}

/** Returns the base of relative URLs in a page or a worker, as `fetch` uses it; elsewhere there is none. */
export function documentBaseUrl(): string | undefined {
  return globalThis.document?.baseURI ?? globalThis.location?.href
}

/**
 * Returns the test of a URL's origin against a list. The `*` in `https://*.example.com` stands for
 * one label. An empty list covers nothing.
 *
 * @param option - The name of the option, for messages.
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
): (url: URL) => boolean {
  assertStandardUrl(caller)
  check(Array.isArray(origins), caller, `${option} must be an array of origins`)
  const listed = new Set(
    Array.from(origins, (entry, index) => readOrigin(entry, caller, `${option}[${index}]`)),
  )
  return ({ protocol, host }) =>
    listed.has(`${protocol}//${host}`) ||
    listed.has(`${protocol}//${host.replace(/^[^.]+\./, '*.')}`)
}

/** Returns the test of a URL for being below the base, in whole segments of its path, or where `isListed` says. */
export function matchBase(base: URL, isListed: (url: URL) => boolean): (url: URL) => boolean {
  const { origin, pathname } = base
  // Most requests go there, and `origin` is put together anew each time that it is read.
  const start = origin + pathname.replace(/\/?$/, '/')
  const path = readPath(pathname)
  const isBelow = (url: URL): boolean =>
    url.origin === origin && readPath(url.pathname).startsWith(path)
  return (url) => url.href.startsWith(start) || isListed(url) || isBelow(url)
}

/** Returns the origin that a response came from, if its `fetch` followed a redirect although it was told not to. */
export function redirectedOrigin(
  response: { readonly redirected?: boolean; readonly url?: string },
  from: URL,
): string | undefined {
  const { redirected } = response
  // One that was made by hand, as bridges to native code make it, says so whatever happened: only its `url` tells.
  if (redirected === false && !Object.hasOwn(response, 'url')) return undefined
  // Those of React Native say only where they come from, and those of a test nothing at all.
  const { url } = response
  if (typeof url !== 'string' || !URL.canParse(url)) return redirected ? 'another URL' : undefined
  const { origin } = new URL(url)
  return redirected || origin !== from.origin ? origin : undefined
}

/** Returns the text of a URL: of this realm, of another, or of a package. Any other value has none. */
function urlText(value: unknown): string {
  const text: unknown = typeof value === 'string' ? value : Object(value).href
  return typeof text === 'string' ? text : ''
}

/** Checks an origin among the options. Returns it as a URL has it, with the `*.` that it may have. */
function readOrigin(entry: unknown, caller: string, name: string): string {
  const text = urlText(entry)
  const plain = text.replace(/^(https?:\/\/)\*\./i, '$1')
  const url = URL.canParse(plain) && new URL(plain)
  check(
    url && /^https?:[^*]+$/.test(url.href) && url.href === `${url.origin}/`,
    caller,
    `${name} must be an http(s) origin such as https://search.example.com`,
  )
  return plain === text ? url.origin : url.origin.replace('//', '//*.')
}
