/** A sign-in as its record keeps it, in place of a bare refresh token: it goes on with the client and the server it is of. */
export interface KeptSignIn {
  readonly refreshToken: string
  /** The issuer that gave it, and no other gets it, whatever the metadata of the resource say by then. */
  readonly issuer: string
  readonly clientId: string
  /** Of a client that was registered for it. */
  readonly clientSecret?: string | undefined
  readonly clientAuthentication?: 'basic' | 'post' | undefined
  /** The `resource` that was asked for. */
  readonly resource?: string | undefined
}

export function writeKept(kept: KeptSignIn): string {
  return JSON.stringify(kept)
}

/** Returns `undefined` for a text of another form. */
export function readKept(text: string): KeptSignIn | undefined {
  try {
    const kept = Object(JSON.parse(text)) as Readonly<Record<string, unknown>>
    const { refreshToken, issuer, clientId, clientSecret = '', clientAuthentication } = kept
    const { resource = '' } = kept
    const texts = [refreshToken, issuer, clientId, clientSecret, resource]
    const isWay = [undefined, 'basic', 'post'].some((way) => way === clientAuthentication)
    // Each of its parts was looked at.
    if (isWay && texts.every((part) => typeof part === 'string'))
      return kept as unknown as KeptSignIn
  } catch {
    // The parser's own error quotes the text.
  }
  return undefined
}
