import { fromBase64 } from '../base64.ts'

/** The longest lifetime that counts. */
export const longestLifetimeMs: number = 10 * 365 * 24 * 60 * 60 * 1000
/** The lifetime of a token that seems to have expired on arrival: a login for each request would be worse. */
const expiredLifetimeMs = 60_000
/** The latest instant in seconds (in the year 5138); a later one is in milliseconds by mistake. */
const latestSaneSeconds = 1e11

/**
 * Returns the lifetime of a token from its receipt, so that the local clock does not matter: the lesser of `exp − iat`
 * and of the time that is left by the server's clock. That clock may be wrong, or that of a front: where it leaves less
 * than half of `exp − iat`, it does not count.
 *
 * @param serverTimeMs - The server's time on receipt, in epoch milliseconds, if known.
 * @param now - The own time on receipt, for a token without `iat` where the server's is not known; by default, such a
 * token has the default lifetime.
 * @returns In milliseconds: a minute where the token seems to have expired on arrival.
 * @example
 * import { serviceLifetimeMs, tokenLifetime } from '@svc/auth-token'
 *
 * const token = `e30.${btoa('{"iat":1000, "exp":4600}')}.`
 * console.log(tokenLifetime(token, undefined, serviceLifetimeMs)) // 3600000
 * @see https://www.rfc-editor.org/rfc/rfc7519#section-4.1.4
 */
export function tokenLifetime(
  token: string,
  serverTimeMs: number | undefined,
  defaultLifetimeMs: number,
  now?: number,
): number {
  const { exp, iat } = readClaims(token)
  if (exp === undefined) return boundedLifetime(defaultLifetimeMs)
  const leftMs = serverTimeMs === undefined ? undefined : exp * 1000 - serverTimeMs
  if (iat === undefined || exp <= iat) {
    return boundedLifetime(leftMs ?? (now === undefined ? defaultLifetimeMs : exp * 1000 - now))
  }
  const wholeMs = (exp - iat) * 1000
  const isCredible = leftMs !== undefined && leftMs >= wholeMs / 2
  return boundedLifetime(isCredible ? Math.min(wholeMs, leftMs) : wholeMs)
}

export function boundedLifetime(ms: number): number {
  return ms < 1000 ? expiredLifetimeMs : Math.min(ms, longestLifetimeMs)
}

function readClaims(token: string): { exp?: number | undefined; iat?: number | undefined } {
  const payload = /^[\w-]+\.([\w-]+)\.[\w-]*$/.exec(token)?.[1]
  if (payload === undefined) return {}
  try {
    const { exp, iat } = Object(JSON.parse(new TextDecoder().decode(fromBase64(payload))))
    return { exp: saneSeconds(exp), iat: saneSeconds(iat) }
  } catch {
    return {}
  }
}

function saneSeconds(value: unknown): number | undefined {
  const isSane = typeof value === 'number' && value >= 0 && value < latestSaneSeconds
  return isSane ? value : undefined
}
