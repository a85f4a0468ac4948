import type { Fetch } from '@svc/types'
import { check } from './checks.ts'

/** Throws if a `fetch` is known to follow redirects whatever it is told. */
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
  // Nobody knows what a wrapper around React Native's own leads to.
  if (!given && navigator?.product === 'ReactNative') return true
  // So whatwg-fetch marks itself, which sends by XMLHttpRequest and so cannot do otherwise.
  const { polyfill } = Object(given ?? fetch) as { readonly polyfill?: unknown }
  return polyfill === true && typeof XMLHttpRequest === 'function'
}
