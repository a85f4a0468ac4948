import { createTokenAuth, type TokenAuth } from '@svc/auth-token'
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
  readonly waitedMs: number
}

/** The session of a login that is left alone, and of one that its scheme keeps alive. */
export type LoginName = 'left' | 'kept'

/**
 * Logins that one request begins and another joins, each with a scheme of its own: in workerd they end with
 * the request that began them, unless they are kept alive.
 */
export function createLogins({ service }: Addresses) {
  const ended = { left: false, kept: false }
  const scheme = (name: LoginName, context: WorkerContext): TokenAuth =>
    createTokenAuth({
      baseUrl: service,
      credentials,
      // Tells the sessions of the two apart.
      renewBeforeMs: name === 'left' ? 1000 : 2000,
      ...(name === 'kept' && { waitUntil: (promise) => context.waitUntil(promise) }),
    })

  return {
    /** Begins a login and does not wait for it. */
    begin(name: LoginName, context: WorkerContext): Response {
      const end = (): void => void (ended[name] = true)
      scheme(name, context).getToken().then(end, end)
      return new Response('left')
    },
    /** Drops a token that another request obtained. */
    async invalidate(name: LoginName, context: WorkerContext): Promise<Response> {
      const auth = scheme(name, context)
      await auth.getToken()
      await auth.invalidate()
      return new Response('invalidated')
    },
    /** Waits for the login that another request began. */
    async join(name: LoginName, context: WorkerContext): Promise<Response> {
      const startedAt = Date.now()
      const token = await scheme(name, context).getToken()
      const joined: Joined = {
        hasToken: token.startsWith('eyJ'),
        hasFirstEnded: ended[name],
        waitedMs: Date.now() - startedAt,
      }
      return Response.json(joined)
    },
  }
}
