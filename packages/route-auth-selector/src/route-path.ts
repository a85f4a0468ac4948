/**
 * Reads a path as a server would see it: percent-decoded once, repeated slashes folded, dot segments
 * resolved. What comes out begins and ends with a slash (`/user/login/`), so that whole segments
 * compare as plain strings, and holds bytes: one character from U+0000 to U+00FF for each.
 */
export function readPath(pathname: string): string {
  // A stray % is a % to every server that does not refuse it.
  const decoded = pathname.replace(/%[\da-f]{2}/gi, (escape) =>
    String.fromCharCode(Number.parseInt(escape.slice(1), 16)),
  )
  const segments: string[] = []
  for (const segment of decoded.split('/')) {
    // An encoded slash hides these from the URL parser, and not from the server behind it.
    if (segment === '..') segments.pop()
    else if (segment !== '' && segment !== '.') segments.push(segment)
  }
  return segments.length > 0 ? `/${segments.join('/')}/` : '/'
}

/**
 * Reads a path that stands in the options, in the same way as that of a URL.
 *
 * @throws TypeError naming the option where it is no path.
 */
export function parsePath(option: string, path: unknown): string {
  // Of control characters the URL parser takes some out, and the route would be another one.
  if (typeof path !== 'string' || !path.startsWith('/') || /[?#\p{Cc}]/u.test(path)) {
    throw new TypeError(
      `${option} must be a path that begins with / and has no ?, # or control character`,
    )
  }
  // The setter encodes as the parser does; a path such as //user would be a host to the parser.
  const url = new URL('http://localhost')
  url.pathname = path
  return readPath(url.pathname)
}

/** Folds the case of ASCII letters alone: the bytes above them are no letters. */
export function foldCase(path: string): string {
  return path.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}
