// A Next.js route handler that calls the service: GET /api/groups
import { AuthError, authFetch, createTokenAuth } from '@svc/auth-token'

const baseUrl = process.env['SERVICE_URL'] ?? 'https://search.example.com'

// Outside the handler, so that all requests share one session. `next build` runs this without
// your secrets, so they are read at the login.
const auth = createTokenAuth({
  baseUrl,
  credentials: () => ({
    username: process.env['SERVICE_USERNAME'] ?? '',
    password: process.env['SERVICE_PASSWORD'] ?? '',
  }),
})
const serviceFetch = authFetch(auth)

export async function GET(request: Request): Promise<Response> {
  const url = new URL('/user/groups', baseUrl)
  try {
    // One user's response must not stay in the cache of Next.js.
    const response = await serviceFetch(url, { cache: 'no-store', signal: request.signal })
    if (!response.ok) return new Response('the service is not available', { status: 502 })
    return Response.json(await response.json())
  } catch (error) {
    if (!AuthError.is(error)) throw error
    return Response.json({ code: error.code }, { status: 503 })
  }
}
