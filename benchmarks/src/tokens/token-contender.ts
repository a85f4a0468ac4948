/** A library that sends a token. */
export interface TokenContender {
  readonly name: string
  /** Makes a session; `logIn` is what obtains a token. */
  readonly open: (logIn: () => Promise<string>) => TokenSession
}

/** A session of a library. */
export interface TokenSession {
  /** Sends a request, which first logs in if there is no token, and whose response is there at once. */
  readonly send: () => unknown
}

/** The URL of the requests, which nobody sends. */
export const url = 'https://search.example.com/user/groups'

/** The lifetime of every token, longer than any measurement. */
export const lifetimeSeconds = 24 * 60 * 60
