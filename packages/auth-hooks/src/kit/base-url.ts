/**
 * Reads the address of an environment.
 *
 * @throws TypeError naming `baseUrl` if it is missing, empty or not a URL, uses a protocol other
 * than http or https, or has credentials, a query or a fragment.
 * @example
 * import { parseBaseUrl } from '@svc/auth-hooks/scheme'
 *
 * const { origin, pathname } = parseBaseUrl('https://search.example.com/api')
 * console.log(origin, pathname) // https://search.example.com /api
 * @see https://url.spec.whatwg.org/#url-parsing
 */
export function parseBaseUrl(baseUrl: string | URL): URL {
  // What is neither a string nor a URL is no URL, whatever its text may be.
  const text = typeof baseUrl === 'string' ? baseUrl : baseUrl instanceof URL ? baseUrl.href : ''
  if (!URL.canParse(text)) {
    throw new TypeError('baseUrl must be an absolute URL such as https://search.example.com')
  }
  const url = new URL(text)
  if (!/^https?:$/.test(url.protocol)) throw new TypeError('baseUrl must be an http(s) URL')
  if (url.username || url.password || /^[^:]+:[/\\]*[^/\\]*@/.test(text))
    throw new TypeError('baseUrl must not contain credentials')
  if (/[?#]/.test(text)) throw new TypeError('baseUrl must not have a query or a fragment')
  return url
}

/**
 * Whether a URL's host is loopback, where plain http reaches nobody else: `localhost`, names below
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
