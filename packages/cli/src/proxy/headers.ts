/** Header lines in the order of the wire. */
export type HeaderLines = readonly (readonly [name: string, value: string])[]

/** Headers of one connection. See https://www.rfc-editor.org/rfc/rfc9110#section-7.6.1 */
const ofConnection =
  /^(?:connection|http2-settings|keep-alive|proxy-(?:authenticate|authorization|connection)|te|trailer|transfer-encoding|upgrade)$/

/** Credentials, which the proxy adds by itself. */
const ofCredential =
  /^(?:authorization|cookie|x-amz-(?:content-sha256|date|security-token)|x-svc-(?:proxy-secret|route-token|security-token))$/

/** What frames the body on this connection alone, and names this proxy. */
const ofHop = /^(?:content-length|expect|host|referer|x-amz-(?:decoded-content-length|trailer))$/

/** What some servers take for the method or the path, past the rules. */
const ofOverride = /^x-(?:http-method(?:-override)?|method-override|original-url|rewrite-url)$/

const ofForwarding = /^(?:forwarded|x-forwarded-.*|sec-.*)$/

/** Headers of a request that are not the service's to see. */
const ofClient = [ofConnection, ofCredential, ofHop, ofOverride, ofForwarding]

/** Headers of a response that speak of its origin, or hold a credential. */
const ofService =
  /^(?:access-control-.*|alt-svc|authorization|clear-site-data|nel|report-to|reporting-endpoints|set-cookie2?|strict-transport-security|x-amz-security-token|x-svc-(?:proxy|security-token))$/

const checksum = /^x-amz-checksum-(?:crc32c?|crc64nvme|sha1|sha256)$/i

/** Returns the headers of a request that go on to the service, those of its body among them. */
export function forwardedHeaders(lines: HeaderLines, ofBody: HeaderLines): HeaderLines {
  const named = connectionNames(lines)
  const isChunked = ofBody.some(([name]) => name === 'x-amz-trailer')
  const hasChecksum = isChunked || [...lines, ...ofBody].some(([name]) => checksum.test(name))
  const passed = lines.flatMap(([name, value]): [string, string][] => {
    // CGI and its heirs read an underscore as a hyphen.
    const lower = name.toLowerCase().replaceAll('_', '-')
    if (named.has(lower) || ofClient.some((pattern) => pattern.test(lower))) return []
    // The rules and the signature know these by their own spelling alone.
    if (isOddlySpelt(name, lower)) return []
    // It announces a checksum.
    if (lower === 'x-amz-sdk-checksum-algorithm' && !hasChecksum) return []
    if (lower !== 'content-encoding' || isChunked) return [[name, value]]
    const rest = value
      .split(',')
      .map((coding) => coding.trim())
      .filter((coding) => coding.toLowerCase() !== 'aws-chunked' && coding !== '')
    return rest.length === 0 ? [] : [[name, rest.join(', ')]]
  })
  return [...passed, ...ofBody]
}

// Names of metadata are the client's own, and may have an underscore.
function isOddlySpelt(name: string, folded: string): boolean {
  return name.includes('_') && /^x-(?:amz|svc)-/.test(folded) && !/^x-amz-meta-/i.test(name)
}

/** Returns the headers of a response that go on to the client; `rewrite` changes a `location`. */
export function returnedHeaders(
  lines: HeaderLines,
  rewrite: (location: string) => string | undefined,
): [string, string][] {
  const named = connectionNames(lines)
  return lines.flatMap(([name, value]): [string, string][] => {
    const lower = name.toLowerCase()
    if (named.has(lower) || ofConnection.test(lower) || ofService.test(lower)) return []
    if (lower !== 'location' && lower !== 'content-location') return [[name, value]]
    const rewritten = rewrite(value)
    return rewritten === undefined ? [] : [[name, rewritten]]
  })
}

/** Returns the names of the headers that `connection` takes off a message, in lower case. */
export function connectionNames(lines: HeaderLines): ReadonlySet<string> {
  const values = lines.filter(([name]) => name.toLowerCase() === 'connection')
  return new Set(
    values.flatMap(([, value]) => value.split(',').map((name) => name.trim().toLowerCase())),
  )
}

/**
 * Rewrites an address in a response, so that a client that follows a redirect below the base URL comes back to the
 * proxy. Any other address stays, and no credential goes there.
 *
 * @param base - The base URL, without a slash at its end.
 */
export function rewriteLocation(
  location: string,
  requested: URL,
  base: string,
  host: string,
): string | undefined {
  if (!URL.canParse(location, requested.href)) return undefined
  const { href } = new URL(location, requested)
  const below = href.slice(base.length)
  if (!href.startsWith(base) || !/^(?:[/?#]|$)/.test(below)) return href
  return `http://${host}${below.startsWith('/') ? '' : '/'}${below}`
}

/** Reads the header lines that undici gives: names and values in turn, as bytes. */
export function readRawHeaders(raw: unknown): [name: string, value: string][] {
  if (!Array.isArray(raw)) return []
  const items: readonly unknown[] = raw
  return items.flatMap((name, index): [string, string][] => {
    if (index % 2 === 1) return []
    const value = items[index + 1]
    const values: readonly unknown[] = Array.isArray(value) ? value : [value]
    return values.map((one) => [latin1(name), latin1(one)])
  })
}

function latin1(value: unknown): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('latin1')
  return typeof value === 'string' ? value : ''
}
