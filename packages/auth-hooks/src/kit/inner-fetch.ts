import { assertFollowsNone } from '#platform'
import type { Fetch } from '@svc/types'
import { check } from './checks.ts'

/** The option of everything that sends with a `fetch`. */
export interface TrustedFetch {
  /**
   * Takes a `fetch` that follows redirects whatever it is told, as React Native's does: it hands the headers of
   * a scheme to the target of a redirect, to any origin, and the body of a login too. Only for a service whose
   * every redirect you trust, or where the app's native code was told to follow none.
   *
   * @default `false`: such a `fetch` is a `TypeError`, and a redirect that one followed an `ERR_AUTH_REDIRECT`
   */
  trustRedirects?: boolean | undefined
}

/**
 * Reads the option of {@link TrustedFetch}. Without it, a `fetch` must be none that is known to follow redirects
 * whatever it is told. Elsewhere than on React Native none is known, and the response of such a `fetch` is rejected.
 *
 * @param isUsed - `false` if nothing is sent with a `fetch`.
 * @throws TypeError naming `trustRedirects`
 */
export function readTrustRedirects(
  { fetch, trustRedirects = false }: TrustedFetch & { readonly fetch?: Fetch | undefined },
  caller: string,
  isUsed = true,
): boolean {
  check(typeof trustRedirects === 'boolean', caller, 'trustRedirects must be true or false')
  if (!trustRedirects && isUsed) assertFollowsNone(fetch, caller)
  return trustRedirects
}
