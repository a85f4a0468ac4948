import type { AuthScheme } from '@svc/types'

/**
 * Checks a scheme that stands in the options.
 *
 * @throws TypeError naming the option where it is no scheme.
 */
export function assertScheme(option: string, scheme: AuthScheme): void {
  const isScheme =
    typeof scheme?.name === 'string' &&
    typeof scheme.covers === 'function' &&
    typeof scheme.authorize === 'function' &&
    (scheme.prepare === undefined || typeof scheme.prepare === 'function')
  if (!isScheme) {
    throw new TypeError(`${option} must be an AuthScheme with name, covers and authorize`)
  }
}
