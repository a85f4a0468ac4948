// A Cloudflare Worker that calls the service. SERVICE_URL goes into your wrangler.jsonc, but secrets do
// not: `wrangler secret put SERVICE_PASSWORD`.
import { authFetch } from '@svc/auth-hooks/light'
import { AuthError, createTokenAuth } from '@svc/auth-token'
import { env, waitUntil } from 'cloudflare:workers'

// Outside the handler, so that all requests of an isolate share one session. Nothing is sent here.
const auth = createTokenAuth({
  baseUrl: env.SERVICE_URL,
  credentials: { username: env.SERVICE_USERNAME, password: env.SERVICE_PASSWORD },
  // Otherwise a login dies with the request that started it, while others may be waiting for it.
  waitUntil,
})
// The smallest one is enough for a worker that sends no stream.
const serviceFetch = authFetch(auth)

export default {
  async fetch(): Promise<Response> {
    try {
      const response = await serviceFetch(new URL('/user/groups', env.SERVICE_URL))
      if (!response.ok) return new Response('the service is not available', { status: 502 })
      return Response.json(await response.json())
    } catch (error) {
      if (!AuthError.is(error)) throw error
      return Response.json({ code: error.code }, { status: 503 })
    }
  },
}
