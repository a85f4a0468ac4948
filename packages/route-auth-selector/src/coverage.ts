import { check, uncovered } from '@svc/auth-hooks/scheme'
import type { AuthScheme } from '@svc/types'
import { withoutEndSlashes } from './templates.ts'

/** The addresses that a scheme of a selector is there for. */
export interface Place {
  /** The origins of the selector, in which `*` stands for one label. */
  readonly origins: readonly string[]
  /** The path of the route, below the base path. */
  readonly path: string
  /** Tells if a request to a URL gets this scheme. */
  readonly isReached?: (url: URL) => boolean
}

/** Returns an origin among the options, which have been checked, as a URL has it. */
export function originText(given: string | URL): string {
  const text = typeof given === 'string' ? given : given.href
  const plain = text.replace(/^(https?:\/\/)\*\./i, '$1')
  const { origin } = new URL(plain)
  return plain === text ? origin : origin.replace('//', '//*.')
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
  const requirement = `${option}.covers must return true or false`
  const covers = (url: URL): boolean =>
    // A scheme may cover only what is below its path.
    [url, new URL(`${withoutEndSlashes(url.href)}/`)].some((one) => {
      let verdict: unknown
      try {
        verdict = scheme.covers(one)
      } catch (cause) {
        throw new TypeError(`${caller}: ${requirement}, but it throws`, { cause })
      }
      // A promise, for one, is always true.
      check(typeof verdict === 'boolean', caller, requirement)
      return verdict
    })
  const examples = origins.map((origin) => new URL(exampleOf(origin) + path))
  const [first] = examples
  // Without an origin, nothing is covered anyway.
  if (!first || examples.some(covers)) return
  // It may cover one label of many, or less than all that its route leads to.
  const named = String(scheme.coverage?.(first)).match(/https?:\/\/[^\s,;]+/g) ?? []
  const isCovered = named.some((text) => {
    const url = exampleOf(text)
    if (!URL.canParse(url)) return false
    const candidates = [new URL(url), new URL(new URL(url).origin + path)]
    return candidates.some((one) => isReached(one) && covers(one))
  })
  const place = origins.map((origin) => origin + path).join(' or ')
  const problem = `${place} ${uncovered(scheme, first)}`
  check(isCovered, caller, `${option} must cover what it is used for: ${problem}`)
}

/** Returns an origin that a listed one stands for. */
export function exampleOf(origin: string): string {
  return origin.replace('//*.', '//example.')
}
