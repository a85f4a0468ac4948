import type { AuthEvent, AuthScheme, OutgoingRequest } from '@svc/types'
import { createServiceRoutes } from '@svc/route-auth-selector'

export const origin = 'https://search.example.com'

/** Returns a scheme of ten lines that records its calls. */
export function standIn(name: string, covered: readonly string[] = [origin]) {
  const calls: { authorize: URL[]; prepare: URL[] } = { authorize: [], prepare: [] }
  const scheme: AuthScheme = {
    name,
    covers: (url) => covered.includes(url.origin),
    authorize({ url }) {
      calls.authorize.push(url)
      return { scheme: name, headers: [['x-by', name]] }
    },
    async prepare({ url }) {
      calls.prepare.push(url)
    },
  }
  return { scheme, calls }
}

export function outgoing(url: string | URL, method = 'GET'): OutgoingRequest {
  return {
    method,
    url: new URL(url, origin),
    headers: new Headers(),
    body: undefined,
    attempt: 1,
    reason: 'initial',
  }
}

/** Returns the name of the chosen scheme; a stand-in authorizes synchronously. */
export function chosenBy(auth: AuthScheme, url: string | URL, method?: string): string {
  const authorization = auth.authorize(outgoing(url, method))
  if (authorization instanceof Promise) throw new Error('not synchronous')
  return authorization.scheme
}

/** Returns the routes of the service over stand-ins, with the calls of each. */
export function serviceRoutes(baseUrl = origin, onEvent?: (event: AuthEvent) => void) {
  const token = standIn('token')
  const sigv4 = standIn('sigv4')
  const auth = createServiceRoutes({ baseUrl, token: token.scheme, sigv4: sigv4.scheme, onEvent })
  return { auth, token: token.calls, sigv4: sigv4.calls }
}
