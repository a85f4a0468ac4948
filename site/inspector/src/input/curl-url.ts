/** Takes a URL apart where its path begins and where it ends. */
function split(url: string): [origin: string, path: string, query: string] {
  const [, origin = '', path = '', query = ''] = /^([a-z]+:\/\/[^/?]*)([^?]*)(.*)$/s.exec(url) ?? []
  return [origin, path, query]
}

/** Appends to the query of a URL. */
export function withQuery(url: string, text: string): string {
  return text === '' ? url : `${url}${url.includes('?') ? '&' : '?'}${text}`
}

/** Puts another target in the place of the path and the query of a URL. */
export function withTarget(url: string, target: string): string {
  return `${split(url)[0]}${target.startsWith('/') ? '' : '/'}${target}`
}

/** Appends the name of an uploaded file to a URL that names none, as curl does. */
export function withFileName(url: string, file: string): string {
  const [origin, path, query] = split(url)
  if ((path !== '' && !path.endsWith('/')) || file === '-' || file === '.') return url
  const name = file.slice(Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\')) + 1)
  return `${origin}${path === '' ? '/' : path}${percentEncoded(name)}${query}`
}

/**
 * Removes the dot segments of a path, as curl does without `--path-as-is`.
 *
 * @see https://www.rfc-editor.org/rfc/rfc3986#section-5.2.4
 */
export function withoutDotSegments(url: string): string {
  const [origin, path, query] = split(url)
  if (!/\/\.{1,2}(?:\/|$)/.test(path)) return url
  const segments = path.split('/').slice(1)
  const kept: string[] = []
  for (const [index, segment] of segments.entries()) {
    const isDots = segment === '.' || segment === '..'
    if (segment === '..') kept.pop()
    if (!isDots) kept.push(segment)
    else if (index === segments.length - 1) kept.push('')
  }
  return `${origin}/${kept.join('/')}${query}`
}

/** Percent-encodes a text as curl does, all but the unreserved characters. */
export function percentEncoded(text: string): string {
  return encodeURIComponent(text.replace(/\p{Cs}/gu, '\ufffd')).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
