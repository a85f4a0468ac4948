import type { AuthScheme } from '@svc/types'

/** A client that is tried in a runtime: loaded there, and connected to a scheme as its users do. */
export interface RuntimeClient {
  readonly name: string
  /** Loads it, and returns a function that sends a request and returns the text of the response. */
  readonly connect: (auth: AuthScheme) => Promise<Send>
}

/** Sends a request through a client; rejects or throws where the status is an error. */
export type Send = (url: URL, method: 'GET' | 'PUT', body?: string) => Promise<string>
