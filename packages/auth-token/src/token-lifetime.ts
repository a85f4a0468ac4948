/** What the interface says of a token (section 5.1), for one that does not say it itself. */
const defaultLifetimeMs = 24 * 60 * 60 * 1000
const longestLifetimeMs = 10 * 365 * defaultLifetimeMs

/** Later seconds (the year 5138) are milliseconds by mistake. */
const latestSaneSeconds = 1e11

/**
 * How long a token lives from its receipt, in milliseconds: `exp − iat`, so that nobody's clock
 * matters; else `exp` against the server's time; else 24 hours. Not positive where it has expired.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7519#section-4.1.4
 */
export function tokenLifetimeMs(token: string, serverTimeMs: number): number {
  const { exp, iat } = readClaims(token)
  if (exp === undefined) return defaultLifetimeMs
  const lifetimeMs = iat !== undefined && exp > iat ? (exp - iat) * 1000 : exp * 1000 - serverTimeMs
  return Math.min(lifetimeMs, longestLifetimeMs)
}

function readClaims(token: string): { exp?: number | undefined; iat?: number | undefined } {
  const payload = /^[\w-]+\.([\w-]+)\.[\w-]*$/.exec(token)?.[1]
  if (payload === undefined) return {}
  try {
    const binary = atob(payload.replaceAll('-', '+').replaceAll('_', '/'))
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0))
    const claims: unknown = JSON.parse(new TextDecoder().decode(bytes))
    if (typeof claims !== 'object' || claims === null) return {}
    return {
      exp: 'exp' in claims ? saneSeconds(claims.exp) : undefined,
      iat: 'iat' in claims ? saneSeconds(claims.iat) : undefined,
    }
  } catch {
    return {}
  }
}

function saneSeconds(value: unknown): number | undefined {
  const isSane = typeof value === 'number' && value >= 0 && value < latestSaneSeconds
  return isSane ? value : undefined
}
