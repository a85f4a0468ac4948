import type { Fetch } from '@svc/types'
import { check } from './checks.ts'

export function assertFollowsNone(fetch: Fetch | undefined, caller: string): void {
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
  // It is not known what a wrapper around React Native's own leads to.
  if (!given && navigator?.product === 'ReactNative') return true
  // So whatwg-fetch marks itself, which sends by XMLHttpRequest and so cannot do otherwise.
  const { polyfill } = Object(given ?? fetch) as { readonly polyfill?: unknown }
  return polyfill === true && typeof XMLHttpRequest === 'function'
}

/**
 * Throws where `URL` does not follow its standard, as React Native's own: what is signed would not be what is sent.
 *
 * @throws TypeError
 * @see https://url.spec.whatwg.org/#url-class
 */
export function assertStandardUrl(caller: string): void {
  const { URL: given } = globalThis as { readonly URL?: typeof URL }
  check(
    isStandardUrl(given),
    caller,
    "needs a URL to the WHATWG standard; on React Native, import 'react-native-url-polyfill/auto' first",
  )
}

function isStandardUrl(given: typeof URL | undefined): boolean {
  try {
    if (!given) return false
    // All that is used of it: what reads, resolves and writes.
    const url = new given('../a b%2f?a b', 'HTTPS://A.example:443/a/b/')
    url.pathname += '/c'
    return url.href === 'https://a.example/a/a%20b%2f/c?a%20b' && !given.canParse('/a')
  } catch {
    return false
  }
}
