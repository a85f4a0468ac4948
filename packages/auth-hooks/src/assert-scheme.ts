import type { AuthScheme } from '@svc/types'

/** Throws a TypeError where a caller without types gave no scheme. */
export function assertScheme(scheme: AuthScheme): void {
  if (typeof scheme?.authorize !== 'function' || typeof scheme.covers !== 'function') {
    throw new TypeError('scheme must be an AuthScheme with covers and authorize')
  }
}
