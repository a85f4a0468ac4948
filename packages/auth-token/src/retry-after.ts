import type { ReadonlyHeaders } from '@svc/types'
import { longestPauseMs } from './back-off.ts'

/**
 * How long the server asks to wait, in milliseconds, or `undefined` where it does not say. A date
 * counts against the server's own `Date`, so that its clock does not matter.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3
 */
export function retryAfterMs(headers: ReadonlyHeaders, serverTimeMs: number): number | undefined {
  const value = headers.get('retry-after')?.trim()
  if (!value) return undefined
  const waitMs = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - serverTimeMs
  return Number.isNaN(waitMs) ? undefined : Math.min(Math.max(waitMs, 0), longestPauseMs)
}
