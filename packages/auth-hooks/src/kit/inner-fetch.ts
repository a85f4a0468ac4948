import type { Fetch } from '@svc/types'
import { check } from './checks.ts'

/** The option of everything that sends with a `fetch`. */
export interface TrustedFetch {
  /**
   * Takes a `fetch` that follows redirects whatever it is told, as React Native's does: it hands the headers of
   * a scheme to the target of a redirect, whoever that is, and the body of a login too. Only for a service whose
   * every redirect you trust, or where the app's native code was told to follow none.
   *
   * @default `false`: such a `fetch` is a `TypeError`, and a redirect that one followed an `ERR_AUTH_REDIRECT`
   */
  trustRedirects?: boolean | undefined
}

/**
 * Checks the option of {@link TrustedFetch}.
 *
 * @throws TypeError naming `trustRedirects`
 * @example
 * import { readTrustRedirects } from '@svc/auth-hooks/scheme'
 *
 * console.log(readTrustRedirects({}, '[my-package] createMyAuth')) // false
 * @see {@link TrustedFetch}
 */
export function readTrustRedirects(
  { trustRedirects = false }: TrustedFetch,
  caller: string,
): boolean {
  check(typeof trustRedirects === 'boolean', caller, 'trustRedirects must be true or false')
  return trustRedirects
}

/**
 * Checks that a `fetch` is none that is known to follow redirects whatever it is told.
 *
 * @param fetch - The one that was given; `undefined` for that of the runtime.
 * @throws TypeError naming `trustRedirects`
 * @example
 * import { assertHeedsRedirects } from '@svc/auth-hooks/scheme'
 *
 * assertHeedsRedirects(undefined, '[my-package] createMyAuth')
 * @see https://github.com/JakeChampion/fetch
 */
export function assertHeedsRedirects(fetch: Fetch | undefined, caller: string): void {
  check(
    !followsRedirects(fetch),
    caller,
    'the fetch of this runtime follows redirects whatever it is told, with the credential; ' +
      "pass one that heeds redirect: 'manual', such as that of expo/fetch, or trustRedirects: true",
  )
}

function followsRedirects(given: Fetch | undefined): boolean {
  const { fetch, navigator, XMLHttpRequest } = globalThis as {
    readonly fetch?: Fetch
    readonly navigator?: { readonly product?: string }
    readonly XMLHttpRequest?: unknown
  }
  // Nobody knows what a wrapper around React Native's own leads to.
  if (!given && navigator?.product === 'ReactNative') return true
  // So whatwg-fetch marks itself, which sends by XMLHttpRequest and so cannot do otherwise.
  const { polyfill } = Object(given ?? fetch) as { readonly polyfill?: unknown }
  return polyfill === true && typeof XMLHttpRequest === 'function'
}
