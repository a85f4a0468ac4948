// The one module of this application that knows the service. Routes and pages import it.
import { authFetch, createServiceAuth } from '@svc/service-auth'
import type { ObjectGroup } from '@svc/types'
import { connection } from 'next/server'

async function send(path: string, signal?: AbortSignal): Promise<Response> {
  // Waits for a visit: `next build` has no secrets, and neither logs in nor reads the clock.
  await connection()
  const baseUrl = setting('SERVICE_URL')
  const user = { username: setting('SERVICE_USERNAME'), password: setting('SERVICE_PASSWORD') }
  const apiKey = {
    accessKeyId: setting('SERVICE_ACCESS_KEY_ID'),
    secretAccessKey: setting('SERVICE_SECRET_ACCESS_KEY'),
  }
  // Made for each request, and in each bundle of this module: in one process, the same login is one session.
  const auth = createServiceAuth({ baseUrl, region: 'us-east-1', user, apiKey })
  // One user's response must not stay in the cache of Next.js.
  return authFetch(auth, { baseUrl })(path, { cache: 'no-store', signal: signal ?? null })
}

function setting(name: string): string {
  const value = process.env[name]
  if (!value) throw new Error(`${name} is not set: add it to .env.local`)
  return value
}

/** Returns the groups that the application's account may use: with a token. */
export async function readGroups(signal?: AbortSignal): Promise<ObjectGroup[]> {
  const response = await send('/user/groups', signal)
  await assertOk(response)
  return response.json() as Promise<ObjectGroup[]>
}

/** Returns the list of the reports, as XML: signed. */
export async function listReports(signal?: AbortSignal): Promise<string> {
  const response = await send('/V1/?list-type=2&prefix=reports/', signal)
  await assertOk(response)
  return response.text()
}

/** Throws with the service's own code, such as SignatureDoesNotMatch. */
async function assertOk(response: Response): Promise<void> {
  if (response.ok) return
  const [, code = ''] = /<Code>(\w+)<\/Code>/.exec(await response.text()) ?? []
  throw new Error(`the service responded with ${response.status} ${code}`.trimEnd())
}
