import { check } from './checks.ts'

/** The functions that add credentials. */
const authenticating = new WeakSet<object>()

/** Returns a function, of which is known from now on that it adds credentials. */
export function noteAuthenticating<Sending extends object>(sending: Sending): Sending {
  authenticating.add(sending)
  return sending
}

/**
 * Throws for an inner `fetch` or adapter that adds credentials itself: they would replace those of the scheme, so that
 * one user's calls go out as another.
 *
 * @throws TypeError naming the option.
 */
export function assertPlain(inner: unknown, option: string, caller: string): void {
  const isPlain = !authenticating.has(Object(inner))
  check(isPlain, caller, `${option} adds credentials already: extend an instance that has none`)
}
