/** What the interface says of a token (section 5.1), for one that does not say it itself. */
const defaultLifetimeMs = 24 * 60 * 60 * 1000
const longestLifetimeMs = 10 * 365 * defaultLifetimeMs
/** For a token that seems to have expired on arrival: a login for each request would be worse. */
const shortestLifetimeMs = 30_000

/** Later seconds (the year 5138) are milliseconds by mistake. */
const latestSaneSeconds = 1e11

/**
 * How long a token lives from its receipt, in milliseconds: `exp − iat`, so that nobody's clock
 * matters; else `exp` against the server's time, where that is known; else 24 hours.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7519#section-4.1.4
 */
export function tokenLifetimeMs(token: string, serverTimeMs: number | undefined): number {
  const { exp, iat } = readClaims(token)
  const issuedAt = iat !== undefined && exp !== undefined && exp > iat ? iat * 1000 : serverTimeMs
  if (exp === undefined || issuedAt === undefined) return defaultLifetimeMs
  const lifetimeMs = exp * 1000 - issuedAt
  return lifetimeMs < 1000 ? shortestLifetimeMs : Math.min(lifetimeMs, longestLifetimeMs)
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
