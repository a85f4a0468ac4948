import type { Addresses } from '../addresses.ts'

// Put there by the bundler.
declare const hostAddresses: Addresses

// The types of a page know none of a service worker.
interface LastingEvent extends Event {
  waitUntil(promise: Promise<unknown>): void
}
interface FetchEvent extends Event {
  readonly request: Request
  respondWith(response: Response | Promise<Response>): void
}
interface ServiceWorkerScope {
  readonly clients: { claim(): Promise<void> }
  addEventListener(type: 'activate', listener: (event: LastingEvent) => void): void
  addEventListener(type: 'fetch', listener: (event: FetchEvent) => void): void
}
const scope = globalThis as unknown as ServiceWorkerScope

let refused: string | null | undefined

/** Responses in place of those of the service, by path. */
const responses: Readonly<Record<string, (request: Request) => Response | Promise<Response>>> = {
  '/user/worker/response': () => new Response('by the service worker'),
  '/user/worker/refusal': ({ headers }) => {
    const token = headers.get('x-svc-security-token')
    refused ??= token
    return new Response('', { status: token === refused ? 401 : 200 })
  },
  '/user/worker/redirect': () => Response.redirect(`${hostAddresses.control}/stray`, 307),
  '/user/worker/followed': () => fetch('/moved'),
  '/user/worker/opaque': () => fetch(`${hostAddresses.control}/state`, { mode: 'no-cors' }),
}

scope.addEventListener('activate', (event) => event.waitUntil(scope.clients.claim()))
scope.addEventListener('fetch', (event) => {
  const respond = responses[new URL(event.request.url).pathname]
  if (respond) event.respondWith(respond(event.request))
})
