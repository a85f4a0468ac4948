import { readChallenges } from '@svc/auth-hooks/challenge'

/** What a server asks for in a challenge. */
export interface BearerChallenge {
  /** The reason of the refusal, such as `insufficient_scope`. */
  readonly error?: string | undefined
  /** The URL of its metadata. */
  readonly resourceMetadata?: string | undefined
  /** The scopes that the request needs, separated by blanks. */
  readonly scope?: string | undefined
}

/**
 * Reads the challenge of Bearer or DPoP of a `www-authenticate` header, in which those of other schemes may stand.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6750#section-3
 * @see https://www.rfc-editor.org/rfc/rfc9449#section-7.1
 * @see https://www.rfc-editor.org/rfc/rfc9728#section-5.1
 */
export function readChallenge(header: string): BearerChallenge {
  const own = readChallenges(header).filter(({ scheme }) => /^(?:bearer|dpop)$/.test(scheme))
  const find = (name: string): string | undefined =>
    own.map(({ parameters }) => parameters.get(name)).find(Boolean)
  return {
    error: find('error'),
    resourceMetadata: find('resource_metadata'),
    scope: find('scope'),
  }
}
