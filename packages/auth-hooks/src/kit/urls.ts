/**
 * Builds the test whether a URL's origin is listed. The `*` in `https://*.example.com` stands for
 * one label. An empty list covers nothing.
 *
 * @param option - The name of the option, for messages.
 * @param home - An address whose origin is also covered.
 * @throws TypeError if an entry is not an http(s) origin; the message names it.
 * @example
 * import { matchOrigins } from '@svc/auth-hooks/scheme'
 *
 * const covers = matchOrigins('origins', ['https://*.search.example.com'])
 * console.log(covers(new URL('https://bucket.search.example.com/key'))) // true
 * @see https://www.rfc-editor.org/rfc/rfc6454
 */
export function matchOrigins(
  option: string,
  origins: readonly (string | URL)[],
  home?: URL,
): (url: URL) => boolean {
  if (!Array.isArray(origins)) throw new TypeError(`${option} must be an array of origins`)
  const exact = new Set<string>()
  const wildcards: Wildcard[] = []
  for (const [index, entry] of origins.entries()) {
    const name = `${option}[${index}]`
    const text = String(entry)
    const star = /^(https?:\/\/)\*\.(.+)$/i.exec(text)
    if (star) {
      const { protocol, host } = parseOrigin(name, `${star[1]}${star[2]}`)
      wildcards.push({ protocol, suffix: `.${host}` })
    } else {
      exact.add(parseOrigin(name, text).origin)
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

function parseOrigin(name: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isOrigin =
    url !== undefined &&
    /^https?:$/.test(url.protocol) &&
    !url.host.includes('*') &&
    url.href === `${url.origin}/`
  if (!isOrigin) {
    throw new TypeError(`${name} must be an http(s) origin such as https://search.example.com`)
  }
  return url
}
