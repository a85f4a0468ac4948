import { check } from '@svc/auth-hooks/scheme'
import type { AuthScheme } from '@svc/types'

/**
 * Returns an address for each origin of a selector, with an example in place of a `*`, and its base path.
 * A path put after one of them is where its route leads.
 */
export function exampleBases(origins: readonly (string | URL)[], basePath: string): string[] {
  return origins.map((entry) => {
    const text = typeof entry === 'string' ? entry : entry.href
    const { origin } = new URL(text.replace('*', 'example'))
    return `${origin}${basePath.replace(/\/+$/, '')}`
  })
}

/**
 * Checks that a scheme covers one of the addresses that it is there for. Otherwise each of its requests
 * would be rejected, and `localhost` in the place of `127.0.0.1` is hard to see.
 *
 * @param addresses - Nothing is covered where there is none, by design.
 * @throws TypeError naming the option, the scheme and the addresses, or `covers` if that says neither yes nor no.
 */
export function assertCoversAny(
  scheme: AuthScheme,
  addresses: readonly string[],
  caller: string,
  option: string,
): void {
  const isCovered = addresses.some((address) =>
    // A scheme may cover only what is below its path.
    [address, address.replace(/\/*$/, '/')].some((text) =>
      coversUrl(scheme, new URL(text), caller, option),
    ),
  )
  check(
    isCovered || addresses.length === 0,
    caller,
    `${option} must cover what it is used for: the scheme ${scheme.name} does not cover ${addresses.join(' or ')}`,
  )
}

function coversUrl(scheme: AuthScheme, url: URL, caller: string, option: string): boolean {
  let verdict: unknown
  try {
    verdict = scheme.covers(url)
  } catch (cause) {
    const message = `${caller}: ${option}.covers must return true or false, and throws`
    throw new TypeError(message, { cause })
  }
  // A promise, for one, is always true.
  check(typeof verdict === 'boolean', caller, `${option}.covers must return true or false`)
  return verdict
}
