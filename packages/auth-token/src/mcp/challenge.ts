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
 * Reads the Bearer challenge of a `www-authenticate` header, in which those of other schemes may stand.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-11.6.1
 * @see https://www.rfc-editor.org/rfc/rfc6750#section-3
 * @see https://www.rfc-editor.org/rfc/rfc9728#section-5.1
 */
export function readChallenge(header: string): BearerChallenge {
  const found = new Map<string, string>()
  let isBearer = false
  // A word without a value begins the challenge of a scheme; one with a value is a parameter of the last.
  const words = /([^\s,="]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]*)))?/g
  for (const [, word = '', quoted, plain] of header.matchAll(words)) {
    const value = quoted?.replace(/\\(.)/g, '$1') ?? plain
    const name = word.toLowerCase()
    if (value === undefined) isBearer = name === 'bearer'
    else if (isBearer && value !== '' && !found.has(name)) found.set(name, value)
  }
  return {
    error: found.get('error'),
    resourceMetadata: found.get('resource_metadata'),
    scope: found.get('scope'),
  }
}
