import { UsageError } from '../exit.ts'

/** A URL below the base URL, and the kind of credential that its path needs. */
export interface ServiceUrl {
  readonly url: URL
  /** `true` below `/user`, where the service takes a token in place of a signature. */
  readonly needsToken: boolean
}

/**
 * Resolves the path of a command line below the base URL, whose own path is kept. A whole URL must be below it.
 *
 * @throws UsageError naming both, without the query, which may hold a secret.
 */
export async function resolveUrl(path: string, baseUrl: string): Promise<ServiceUrl> {
  if (path === '') throw new UsageError('the path is empty; / is the base URL itself')
  if (path.includes('#')) {
    throw new UsageError('a # ends a path, and what follows would be lost: write %23 in its place')
  }
  const base = new URL(baseUrl)
  const [, host = ''] = /^([^/?]+)/.exec(path) ?? []
  if (host === base.host || /^(?:localhost|\[[\da-f:]+\]|[\w-]+(?:\.[\w-]+)+):\d+$/.test(host)) {
    const whole = `${base.protocol}//${host}`
    throw new UsageError(`${host} looks like a host: write ${whole}, or /${host} for a path`)
  }
  const { readPath } = await import('@svc/auth-hooks/scheme')
  const isWhole = /^[a-z][a-z\d+.-]*:\/\//i.test(path)
  const slash = /^[/?]/.test(path) ? '' : '/'
  const text = isWhole ? path : `${baseUrl}${slash}${path}`
  if (!URL.canParse(text)) {
    throw new UsageError(`the path is no path or URL below the base URL ${baseUrl}`)
  }
  const url = new URL(text)
  const shown = `${url.origin === 'null' ? url.protocol : url.origin}${url.pathname}`
  if (url.username !== '' || url.password !== '') {
    throw new UsageError(
      `${shown} must not contain a user name or a password; configure them instead`,
    )
  }
  const above = readPath(base.pathname)
  // As servers read it: a whole segment, whatever its escapes.
  const read = readPath(url.pathname)
  if (url.origin !== base.origin || !read.startsWith(above)) {
    throw new UsageError(
      `${shown} is not below the base URL ${baseUrl}; give a path below it, or another --base-url`,
    )
  }
  return { url, needsToken: /^\/user\//i.test(read.slice(above.length - 1)) }
}
