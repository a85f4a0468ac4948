import { UsageError } from '../../exit.ts'

/**
 * Returns the URL of a path below a base URL, or of a URL that is below it.
 *
 * @throws UsageError if it is elsewhere.
 */
export function resolveUrl(input: string, baseUrl: string): URL {
  const base = new URL(`${baseUrl.replace(/\/+$/, '')}/`)
  // Joined as text: resolved as a URL, `//host` would name another host, and `a:b` another scheme.
  const text = isAbsolute(input) ? input : base.href + input.replace(/^[/\\]+/, '')
  if (!URL.canParse(text)) {
    throw new UsageError('<path> is no valid URL; give a path such as /user/groups')
  }
  const url = new URL(text)
  // It is not sent, and undici has no word for it.
  url.hash = ''
  if (url.username !== '' || url.password !== '') {
    throw new UsageError('<path> has a user name or a password; credentials come from the profile')
  }
  const isBelow = url.origin === base.origin && `${url.pathname}/`.startsWith(base.pathname)
  if (isBelow) return url
  throw new UsageError(
    `${shownUrl(url)} is not below the base URL ${shownUrl(base)}; give a path below it, or another --base-url`,
  )
}

function isAbsolute(input: string): boolean {
  return /^\s*[a-z][a-z\d+.-]*:\/\//i.test(input)
}

/** Returns a URL for messages: a query may hold what is nobody else's business. */
export function shownUrl({ origin, pathname }: URL): string {
  return origin + pathname
}
