/** A library that keeps a token. */
export interface TokenContender {
  readonly name: string
  /** Makes a session; `logIn` is what obtains a token. */
  readonly open: (logIn: () => Promise<string>) => TokenSession
}

/** A session of a library. */
export interface TokenSession {
  /** Returns the token, or something that carries it. */
  readonly token: () => unknown
  /** Sends a request whose response is there at once; not every library sends. */
  readonly send?: () => unknown
}

/** The URL of the requests, which nobody sends. */
export const url = 'https://search.example.com/user/groups'

/** The lifetime of every token, longer than any measurement. */
export const lifetimeSeconds = 24 * 60 * 60
