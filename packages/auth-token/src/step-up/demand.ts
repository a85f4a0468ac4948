import { readChallenges } from '@svc/auth-hooks/challenge'
import type { ResponseHead } from '@svc/types'
import { fromBase64 } from '../base64.ts'

/** What a server asks for, beyond the token that it got. */
export interface Demand {
  readonly scopes: readonly string[]
  /** The authentication contexts, of which each will do. */
  readonly acrValues: readonly string[]
  /** The age of the authentication, in seconds. */
  readonly maxAge?: number | undefined
  /** JSON. */
  readonly claims?: string | undefined
  /** `true` for nothing but claims, which most often ask for a token that is newer. */
  readonly isForNewer?: boolean
}

const mostDemanded = 30
const longestText = 4096
const reasons = /^insufficient_(?:scope|user_authentication|claims)$/

/**
 * Reads what the challenge of a response asks for.
 *
 * @returns `undefined` if that is nothing which a login could give; a text that says what is wrong with it.
 * @see https://www.rfc-editor.org/rfc/rfc9470#section-3
 * @see https://learn.microsoft.com/en-us/entra/identity-platform/claims-challenge
 */
export function readDemand({ status, headers }: ResponseHead): Demand | string | undefined {
  if (status !== 401 && status !== 403) return undefined
  for (const { scheme, parameters } of readChallenges(headers.get('www-authenticate'))) {
    const error = parameters.get('error') ?? ''
    // Azure calls a token that was revoked invalid, and names claims all the same.
    const isRevoked = error === 'invalid_token' && parameters.has('claims')
    const isDemand = scheme === 'bearer' || scheme === 'dpop'
    if (isDemand && (isRevoked || reasons.test(error))) return readParameters(parameters)
  }
  return undefined
}

function readParameters(all: ReadonlyMap<string, string>): Demand | string | undefined {
  const [scope, acr, age, encoded] = ['scope', 'acr_values', 'max_age', 'claims'].map((name) =>
    all.get(name),
  )
  const [scopes, acrValues] = [namesIn(scope), namesIn(acr)]
  if (!areNames(scopes, mostDemanded)) return 'a scope that cannot be asked for'
  if (!areNames(acrValues, mostDemanded)) return 'acr_values that cannot be asked for'
  if (age !== undefined && !/^\d{1,9}$/.test(age)) return 'a max_age that is no number of seconds'
  const claims = encoded === undefined ? undefined : readClaims(encoded)
  if (claims !== encoded && claims === undefined) return 'claims that are not JSON in base64'
  const isForNewer = scopes.length + acrValues.length === 0 && age === undefined
  if (isForNewer && claims === undefined) return undefined
  const maxAge = age === undefined ? undefined : Number(age)
  return { scopes, acrValues, maxAge, claims, isForNewer }
}

export function namesIn(text = ''): readonly string[] {
  return [...new Set(text.split(' ').filter(Boolean))]
}

/** @see https://www.rfc-editor.org/rfc/rfc6749#appendix-A.4 */
export function areNames(names: readonly string[], most: number = 100): boolean {
  const text = names.join(' ')
  const isShort = names.length <= most && text.length <= longestText
  return isShort && /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/.test(text)
}

function readClaims(text: string): string | undefined {
  try {
    const json = text.length > longestText ? '' : new TextDecoder().decode(fromBase64(text))
    const claims: unknown = JSON.parse(json)
    return typeof claims === 'object' && claims ? JSON.stringify(claims) : undefined
  } catch {
    return undefined
  }
}
