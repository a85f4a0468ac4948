import type { AuthScheme } from '@svc/types'
import { AuthError } from '../kit/errors.ts'

/**
 * The URL that a client is about to ask for.
 *
 * @throws AuthError `ERR_AUTH_URL` where it is no absolute http(s) URL, or carries a user name.
 */
export function readRequestUrl(text: string): URL {
  // In a page or a worker a relative URL means what it means to `fetch`.
  const base: string | undefined = globalThis.document?.baseURI ?? globalThis.location?.href
  let url: URL
  try {
    url = new URL(text, base)
  } catch {
    throw new AuthError(
      'ERR_AUTH_URL',
      '[@svc/auth-hooks] the request URL must be a valid absolute URL',
    )
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new AuthError(
      'ERR_AUTH_URL',
      `[@svc/auth-hooks] the request URL must be http or https, not ${url.protocol}`,
    )
  }
  if (url.username || url.password) {
    throw new AuthError(
      'ERR_AUTH_URL',
      `[@svc/auth-hooks] the URL for ${url.host} has a user name or a password`,
    )
  }
  return url
}

/** Throws where the scheme's credentials must not travel to this URL. */
export function refuseUncovered(scheme: AuthScheme, url: URL): void {
  if (scheme.covers(url)) return
  throw new AuthError(
    'ERR_AUTH_ORIGIN',
    `[@svc/auth-hooks] ${url.origin}${url.pathname} is not covered by the scheme ${scheme.name}; ` +
      'nothing was sent',
  )
}
