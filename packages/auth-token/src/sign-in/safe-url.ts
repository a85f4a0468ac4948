import { isLoopback } from '@svc/auth-hooks/scheme'

/** Tells if a text is a URL that a secret may be sent to, and that a program may show or open: no other scheme is. */
export function isSafeUrl(text: unknown): text is string {
  const url = typeof text === 'string' && URL.canParse(text) && new URL(text)
  return url && (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url)))
}

/**
 * Tells if a server may name this URL. One elsewhere names nothing on this machine, and no bare address, such as of the
 * network around it: what listens there would get a request that nobody there has asked for.
 *
 * @param by - An address of the server that names it.
 */
export function mayName(by: URL, text: string): boolean {
  const url = new URL(text)
  // With a dot at its end, a name is the same to a resolver.
  url.hostname = url.hostname.replace(/\.+$/, '')
  const isInner = isLoopback(url) || /^(?:\[|[\d.]+$)/.test(url.hostname)
  return !isInner || isLoopback(by) || url.hostname === by.hostname
}
