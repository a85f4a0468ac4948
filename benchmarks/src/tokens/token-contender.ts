/** A library that keeps a token. */
export interface TokenContender {
  readonly name: string
  /** Makes a session; `logIn` is what obtains a token. */
  readonly open: (logIn: () => Promise<string>) => TokenSession
}

/** A session of a library. */
export interface TokenSession {
  /** Gives the token, or what carries it. */
  readonly token: () => unknown
  /** Sends a request whose answer is there at once; not every library sends. */
  readonly send?: () => unknown
}

/** Where the requests go that nobody sends. */
export const url = 'https://search.example.com/user/groups'

/** How long every token is good for: longer than any measurement. */
export const lifetimeSeconds = 24 * 60 * 60
