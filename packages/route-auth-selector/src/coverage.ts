import { check, uncovered } from '@svc/auth-hooks/scheme'
import type { AuthScheme } from '@svc/types'

/** The addresses that a scheme of a selector is there for. */
export interface Place {
  /** The origins of the selector, of which a `*` stands for one label. */
  readonly origins: readonly string[]
  /** The path of the route, below the base path. */
  readonly path: string
  /** Tells if a request to a URL gets this scheme. */
  readonly isReached?: (url: URL) => boolean
}

/** Returns an origin as text, without a slash at the end. */
export function originText(origin: string | URL): string {
  return (typeof origin === 'string' ? origin : origin.href).replace(/\/$/, '')
}

/**
 * Checks that a scheme covers a place at one origin at least. Otherwise each of its requests would be
 * rejected, and `localhost` in the place of `127.0.0.1` is hard to see.
 *
 * @throws TypeError naming the option, the scheme and the place, or `covers` if that says neither yes nor no.
 */
export function assertCovers(
  scheme: AuthScheme,
  { origins, path, isReached = () => false }: Place,
  caller: string,
  option: string,
): void {
  const addresses = origins.map((origin) => origin + path)
  const examples = addresses.map((address) => new URL(address.replace('*', 'example')))
  const [first] = examples
  // Without an origin nothing is covered, as the selector says.
  if (!first) return
  const covers = (url: URL): boolean =>
    // A scheme may cover only what is below its path.
    [url, new URL(url.href.replace(/\/*$/, '/'))].some((example) =>
      coversUrl(scheme, example, caller, option),
    )
  const isCovered =
    examples.some(covers) ||
    // It may also cover one label of many, or less than all that its route leads to.
    namedUrls(scheme.coverage?.(first))
      .flatMap((named) => [named, new URL(named.origin + path)])
      .some((url) => isReached(url) && covers(url))
  const problem = `${addresses.join(' or ')} ${uncovered(scheme, first)}`
  check(isCovered, caller, `${option} must cover what it is used for: ${problem}`)
}

/** Returns the URLs in a text, with an example in the place of each `*`. */
function namedUrls(text = ''): URL[] {
  const found = text.match(/https?:\/\/[^\s,;]+/g) ?? []
  return found
    .map((url) => url.replace('*', 'example'))
    .filter((url) => URL.canParse(url))
    .map((url) => new URL(url))
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
