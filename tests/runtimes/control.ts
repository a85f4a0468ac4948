/** The requests that the emulator saw so far. */
export interface ServiceState {
  readonly logins: number
  /** The number of requests that arrived, preflights not counted. */
  readonly arrived: number
  /** The number of times that a browser asked for leave to send one. */
  readonly preflights: number
  /** The number of requests that came to the other origin. */
  readonly strays: number
  readonly last: { readonly target: string; readonly payloadHash: string | null } | null
}

/** Speaks with the host's control server. */
export interface Control {
  state(): Promise<ServiceState>
  revokeTokens(): Promise<void>
  /** The next login takes half a second. */
  slowLogin(): Promise<void>
  /** The next request for an object takes ten seconds. */
  slowObject(): Promise<void>
  /** The next `GET /user/groups` gets a 503, and the one after it a broken connection. */
  failTwice(): Promise<void>
  /** The next `GET /user/groups` is redirected to another origin. */
  redirectAway(): Promise<void>
  /** The next `GET /user/groups` is redirected to the same with a query. */
  redirectWithin(): Promise<void>
}

/** A control that needs nothing but `fetch`. */
export function createControl(address: string): Control {
  const post = async (path: string): Promise<void> => {
    const response = await fetch(new URL(path, address), { method: 'POST' })
    await response.text()
    if (!response.ok) throw new Error(`control responded with ${response.status}`)
  }
  return {
    async state() {
      const response = await fetch(new URL('/state', address))
      // The host of this very package wrote it.
      return (await response.json()) as ServiceState
    },
    revokeTokens: () => post('/revoke-tokens'),
    slowLogin: () => post('/slow-login'),
    slowObject: () => post('/slow-object'),
    failTwice: () => post('/fail-twice'),
    redirectAway: () => post('/redirect-away'),
    redirectWithin: () => post('/redirect-within'),
  }
}
