import { createTokenAuth } from '@svc/auth-token'
import type { Addresses } from './addresses.ts'
import { credentials } from './credentials.ts'

/** The context that workerd gives beside a request. */
export interface WorkerContext {
  waitUntil(promise: Promise<unknown>): void
}

/** The outcome of a request that joined the login of another. */
export interface Joined {
  readonly hasToken: boolean
  /** `true` if the login that the other request began has ended. */
  readonly hasFirstEnded: boolean
}

/**
 * Logins that one request begins and another joins: in workerd they end with the request that began
 * them, unless they are kept alive.
 */
export function createLogins({ service }: Addresses) {
  let context: WorkerContext | undefined
  const options = { baseUrl: service, credentials, loginTimeoutMs: 1000 }
  const sessions = {
    gone: createTokenAuth(options),
    kept: createTokenAuth({
      ...options,
      waitUntil: (promise) => context?.waitUntil(promise),
    }),
  }
  const ended = { gone: false, kept: false }

  return {
    /** Begins a login and does not wait for it. */
    begin(name: keyof typeof sessions, own: WorkerContext): Response {
      context = own
      const end = (): void => void (ended[name] = true)
      sessions[name].getToken().then(end, end)
      return new Response('gone')
    },
    /** Drops a token that another request obtained. */
    async invalidate(name: keyof typeof sessions): Promise<Response> {
      await sessions[name].invalidate()
      return new Response('invalidated')
    },
    /** Waits for the login that another request began. */
    async join(name: keyof typeof sessions): Promise<Response> {
      const token = await sessions[name].getToken()
      const joined: Joined = { hasToken: token.startsWith('eyJ'), hasFirstEnded: ended[name] }
      return Response.json(joined)
    },
  }
}
