import type { AuthEvent, AuthScheme, OutgoingRequest } from '@svc/types'
import { createServiceRoutes } from '@svc/route-auth-selector'

export const origin = 'https://search.example.com'

/** A scheme of ten lines that counts what it is asked. */
export function standIn(name: string, covered: readonly string[] = [origin]) {
  const asked: { authorize: URL[]; prepare: URL[] } = { authorize: [], prepare: [] }
  const scheme: AuthScheme = {
    name,
    covers: (url) => covered.includes(url.origin),
    authorize({ url }) {
      asked.authorize.push(url)
      return { scheme: name, headers: [['x-by', name]] }
    },
    async prepare({ url }) {
      asked.prepare.push(url)
    },
  }
  return { scheme, asked }
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

/** The name of the scheme that is chosen; a stand-in answers synchronously. */
export function chosenBy(auth: AuthScheme, url: string | URL, method?: string): string {
  const authorization = auth.authorize(outgoing(url, method))
  if (authorization instanceof Promise) throw new Error('not synchronous')
  return authorization.scheme
}

export function serviceAuth(baseUrl = origin, onEvent?: (event: AuthEvent) => void) {
  const token = standIn('token')
  const sigv4 = standIn('sigv4')
  const auth = createServiceRoutes({ baseUrl, token: token.scheme, sigv4: sigv4.scheme, onEvent })
  return { auth, token: token.asked, sigv4: sigv4.asked }
}
