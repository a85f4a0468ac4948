import { areNames, type Demand } from './demand.ts'

/** What to ask for at a login: options of those of `@svc/auth-token/oauth2` and `/sign-in`, or `credentials` of your own. */
export interface StepUp {
  /**
   * All scopes, separated by blanks: those of the option `scope`, and those that servers asked for.
   *
   * @default none
   */
  readonly scope?: string
  /**
   * Parameters of the request: `acr_values` and `max_age` of OpenID Connect, and `claims` as JSON.
   *
   * @default none
   */
  readonly parameters?: Readonly<Record<string, string>>
  /**
   * An instant in epoch milliseconds, where a server gave a `max_age`: an authentication before it is too old.
   *
   * @default none
   */
  readonly since?: number
}

/** What a session is asked for. */
export interface Wanted extends Demand {
  readonly since?: number | undefined
}

/** An age below a minute is taken as one: a token must not be too old before it is sent. */
function ageMs(maxAge = 0): number {
  return Math.max(maxAge * 1000, 60_000)
}

export function missingScopes({ scopes }: Demand, demand: Demand): readonly string[] {
  return demand.scopes.filter((one) => !scopes.includes(one))
}

function isStrong({ acrValues }: Wanted, demand: Demand): boolean {
  const isListed = acrValues.every((one) => demand.acrValues.includes(one))
  return demand.acrValues.length === 0 || (acrValues.length > 0 && isListed)
}

/** Half of the age is left to what the clock of the server may differ by. */
function isFresh({ since = Infinity }: Wanted, { maxAge }: Demand, now: number): boolean {
  return maxAge === undefined || Math.abs(now - since) <= ageMs(maxAge) / 2
}

/** Tells if a session was asked for what a server demands. */
export function isMet(wanted: Wanted, demand: Demand, now: number): boolean {
  const { claims = wanted.claims } = demand
  const hasAll = claims === wanted.claims && missingScopes(wanted, demand).length === 0
  return hasAll && isStrong(wanted, demand) && isFresh(wanted, demand, now)
}

/** Returns what meets both. Of what excludes the other, or does not fit beside it, the second. */
export function join(one: Demand, other: Demand): Demand {
  const scopes = [...new Set([...one.scopes, ...other.scopes])]
  if (!areNames(scopes)) return other
  const ages = [one.maxAge, other.maxAge].filter((age) => age !== undefined)
  return {
    scopes,
    acrValues: other.acrValues.length > 0 ? other.acrValues : one.acrValues,
    maxAge: ages.length > 0 ? Math.min(...ages) : undefined,
    claims: other.claims ?? one.claims,
  }
}

/** Returns what meets a demand as well. In all processes it is the same: the order of scopes, and one of few instants. */
export function widen(wanted: Wanted, demand: Demand, now: number, first: Wanted): Wanted {
  const all = join(wanted, demand)
  const step = ageMs(all.maxAge) / 4
  return {
    ...all,
    scopes: [...first.scopes, ...[...missingScopes(first, all)].sort()],
    acrValues: isStrong(wanted, demand) ? wanted.acrValues : all.acrValues,
    since: isFresh(wanted, demand, now) ? wanted.since : Math.floor(now / step) * step,
  }
}

export function toStepUp({ scopes, acrValues, maxAge, claims, since }: Wanted): StepUp {
  const parameters = {
    ...(acrValues.length > 0 && { acr_values: acrValues.join(' ') }),
    ...(maxAge !== undefined && { max_age: `${maxAge}` }),
    ...(claims !== undefined && { claims }),
  }
  return {
    ...(scopes.length > 0 && { scope: scopes.join(' ') }),
    ...(Object.keys(parameters).length > 0 && { parameters }),
    ...(since !== undefined && { since }),
  }
}

/** Returns the words for a demand, with the names of the wire. Claims may have any character. */
export function shown(demand: Demand): string {
  const { scope, parameters } = toStepUp(demand)
  return Object.entries({ ...(scope !== undefined && { scope }), ...parameters })
    .map(([name, text]) => (name === 'claims' ? name : `${name} '${text.slice(0, 200)}'`))
    .join(' and ')
}
