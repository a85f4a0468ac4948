import type { AuthEvent, AuthScheme } from '@svc/types'
import { assertScheme } from '../kit/checks.ts'
import { isHttpToken } from '../kit/checks.ts'

/** Options that the adapters share. */
export interface ExchangeOptions {
  /**
   * Which redirects are followed: `covered`, only those to URLs that the scheme covers; `follow`,
   * GET and HEAD elsewhere too, without any credential and never from https to http.
   *
   * @default `'covered'`
   */
  redirect?: 'covered' | 'follow' | undefined
  /**
   * The maximum number of redirects to follow; 0 follows none.
   *
   * @default `20`
   */
  maxRedirects?: number | undefined
  /**
   * Your own headers that never leave the covered origins, in addition to those that `fetch` itself
   * and this library withhold.
   *
   * @default `[]`
   */
  sensitiveHeaders?: readonly string[] | undefined
  /**
   * Called on redirects: `redirect.followed`, `redirect.refused`. Errors it throws are ignored.
   *
   * @default none
   */
  onEvent?: ((event: AuthEvent) => void) | undefined
}

/** {@link ExchangeOptions}, checked and with their defaults. */
export interface ExchangeSettings {
  readonly redirect: 'covered' | 'follow'
  readonly maxRedirects: number
  readonly sensitiveHeaders: ReadonlySet<string>
  readonly onEvent: ((event: AuthEvent) => void) | undefined
}

/**
 * Checks a scheme and the options that the adapters of all clients take.
 *
 * @throws TypeError naming the option that is wrong.
 */
export function readExchangeOptions(
  scheme: AuthScheme,
  options: ExchangeOptions,
): ExchangeSettings {
  assertScheme('scheme', scheme)
  if (typeof options !== 'object' || options === null) {
    throw new TypeError('options must be an object')
  }
  const { redirect = 'covered', onEvent, sensitiveHeaders = [] } = options
  if (onEvent !== undefined && typeof onEvent !== 'function') {
    throw new TypeError('onEvent must be a function')
  }
  if (redirect !== 'covered' && redirect !== 'follow') {
    throw new TypeError("redirect must be 'covered' or 'follow'")
  }
  if (!Array.isArray(sensitiveHeaders) || !sensitiveHeaders.every(isHttpToken)) {
    throw new TypeError('sensitiveHeaders must be an array of header names')
  }
  return {
    redirect,
    onEvent,
    maxRedirects: count('maxRedirects', options.maxRedirects ?? 20),
    sensitiveHeaders: new Set(sensitiveHeaders.map((name) => name.toLowerCase())),
  }
}

/** A non-negative integer. */
export function count(option: string, value: number): number {
  if (Number.isSafeInteger(value) && value >= 0) return value
  throw new TypeError(`${option} must be a non-negative integer`)
}
