import { AuthError } from './errors.ts'

/**
 * Tells if a server might read a segment of a path as `.` or `..`: one that decodes once or twice,
 * reads `\` as `/`, or drops what follows a `;`. A URL parser resolves those that it sees itself.
 */
export function hasDotSegment(pathname: string): boolean {
  const once = percentDecode(pathname)
  return [pathname, once, percentDecode(once)].some((path) => dotSegment.test(path))
}

const dotSegment = /(?:^|[/\\])\.\.?(?:[/\\;]|$)/

/**
 * Decodes `%XX` once, to a byte string.
 *
 * @example
 * import { percentDecode } from '@svc/auth-hooks/scheme'
 * console.log(percentDecode('a%2520b')) // a%20b
 */
export function percentDecode(text: string): string {
  return text.replace(/%[\da-f]{2}/gi, (escape) =>
    String.fromCharCode(Number.parseInt(escape.slice(1), 16)),
  )
}

/**
 * Reads the path of a URL as a server would see it: percent-decoded once, repeated slashes collapsed, dot segments
 * resolved. The result begins and ends with a slash (`/user/login/`), so that whole segments compare as plain strings,
 * and consists of bytes: one character from U+0000 to U+00FF each.
 */
export function readPath(pathname: string): string {
  const segments: string[] = []
  // A stray % is a % to every server that does not reject it.
  for (const segment of percentDecode(pathname).split('/')) {
    // An encoded slash hides dot segments from the URL parser, but not from the server.
    if (segment === '..') segments.pop()
    else if (segment !== '' && segment !== '.') segments.push(segment)
  }
  return segments.length > 0 ? `/${segments.join('/')}/` : '/'
}

/** Throws if `hasDotSegment` finds one in a path. `packageName` begins the message, in brackets. */
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
