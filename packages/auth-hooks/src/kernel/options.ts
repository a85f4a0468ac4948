import { assertStandardUrl } from '#platform'
import type { AuthEvent, AuthScheme } from '@svc/types'
import {
  assertScheme,
  check,
  checkFunctions,
  checkOptions,
  checkHeaderPatterns,
  type OptionNames,
} from '../kit/checks.ts'

/** Options that the adapters share. */
export interface ExchangeOptions {
  /**
   * The redirects that are followed: `covered`, only those to URLs that the scheme covers; `follow`,
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
   * Your own headers that never leave the covered origins, by name or as `prefix-*`, in addition to
   * those that `fetch` itself and the scheme withhold.
   *
   * @default `[]`
   */
  sensitiveHeaders?: readonly string[] | undefined
  /**
   * Called on redirects: `redirect.followed`, `redirect.refused`; by axios and got also with
   * `redaction.unavailable`. Errors it throws are ignored.
   *
   * @default none
   */
  onEvent?: ((event: AuthEvent) => void) | undefined
}

export interface ExchangeSettings {
  readonly redirect: 'covered' | 'follow'
  readonly maxRedirects: number
  /** Tells if the scheme or the caller calls a header sensitive. The name is in lower case. */
  readonly isSensitiveHeader: (name: string) => boolean
  readonly onEvent: ((event: AuthEvent) => void) | undefined
}

export const exchangeNames: OptionNames<ExchangeOptions> = {
  redirect: '',
  maxRedirects: 'follow maxRedirect',
  sensitiveHeaders: '',
  onEvent: 'onEvents',
}

/** Checks a scheme and the options of an adapter. `hint` ends the message about an option that is none here. */
export function readExchangeOptions<Options extends ExchangeOptions>(
  scheme: AuthScheme,
  given: Options,
  caller: string,
  names: OptionNames<NoInfer<Options>>,
  hint?: string,
): { readonly settings: ExchangeSettings; readonly options: Options } {
  assertStandardUrl(caller)
  assertScheme(scheme, caller, 'scheme')
  const options = checkOptions<Options>(given, caller, names, hint)
  const { redirect = 'covered', maxRedirects = 20, onEvent, sensitiveHeaders = [] } = options
  checkFunctions({ onEvent }, caller)
  const isKnown = redirect === 'covered' || redirect === 'follow'
  check(isKnown, caller, "redirect must be 'covered' or 'follow'")
  checkHeaderPatterns(sensitiveHeaders, caller, 'sensitiveHeaders')
  checkCount(maxRedirects, caller, 'maxRedirects')
  const isSensitiveHeader = matchHeaders([...(scheme.sensitiveHeaders ?? []), ...sensitiveHeaders])
  return { options, settings: { redirect, maxRedirects, onEvent, isSensitiveHeader } }
}

export function checkCount(value: number, caller: string, option: string): void {
  const isCount = Number.isSafeInteger(value) && value >= 0
  check(isCount, caller, `${option} must be a non-negative integer`)
}

/** Returns the test of a header name, in lower case, against names and `prefix-*`. */
function matchHeaders(patterns: readonly string[]): (name: string) => boolean {
  const lower = patterns.map((pattern) => pattern.toLowerCase())
  return (name) =>
    lower.some((pattern) =>
      pattern.endsWith('-*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern,
    )
}

export const defaultMaxReplayBytes: number = 8 * 1024 * 1024
