import type { ReadonlyHeaders } from '@svc/types'

/**
 * Returns how long the server asks to wait, in milliseconds, or `undefined` if it does not say. A date
 * counts against the server's own `Date`, so that its clock does not matter.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3
 */
export function retryAfterMs(headers: ReadonlyHeaders, serverTimeMs: number): number | undefined {
  const text = headers.get('retry-after') ?? ''
  const seconds = Number.parseFloat(text)
  const waitMs = Number.isNaN(seconds) ? Date.parse(text) - serverTimeMs : seconds * 1000
  return Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs)
}
