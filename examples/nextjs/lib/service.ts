// The one module of this application that knows the service. Routes and pages import it.
import { authFetch, createTokenAuth } from '@svc/auth-token'
import type { ObjectGroup } from '@svc/types'

const baseUrl = process.env['SERVICE_URL'] ?? 'https://search.example.com'

// Next.js may bundle this module several times, and in one process the same login is one session.
// `next build` runs it without your secrets, so they are read at the login.
const auth = createTokenAuth({
  baseUrl,
  credentials: () => ({
    username: process.env['SERVICE_USERNAME'] ?? '',
    password: process.env['SERVICE_PASSWORD'] ?? '',
  }),
})
const serviceFetch = authFetch(auth, { baseUrl })

/** Returns the groups that the application's account may use. */
export async function readGroups(signal?: AbortSignal): Promise<ObjectGroup[]> {
  // One user's response must not stay in the cache of Next.js.
  const init = { cache: 'no-store', signal: signal ?? null } as const
  const response = await serviceFetch('/user/groups', init)
  if (!response.ok) throw new Error(`the service responded with ${response.status}`)
  return response.json() as Promise<ObjectGroup[]>
}
