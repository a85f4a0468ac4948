// The one module of this application that knows the service. Routes and pages import it.
import 'server-only'
import { authFetch, createServiceAuth } from '@svc/service-auth'
import type { ServiceAuth, UserCredentials } from '@svc/service-auth'
import type { ObjectGroup } from '@svc/types'
import { connection } from 'next/server'

/** Returns the account of the application. */
export async function account(): Promise<UserCredentials> {
  // Waits for a visit: `next build` has no secrets, and neither logs in nor reads the clock.
  await connection()
  return { username: setting('SERVICE_USERNAME'), password: setting('SERVICE_PASSWORD') }
}

/** Made for each request, and in each bundle of this module: in one process, the same login is one session. */
export function createAuth(user?: UserCredentials): ServiceAuth {
  const apiKey = {
    accessKeyId: setting('SERVICE_ACCESS_KEY_ID'),
    secretAccessKey: setting('SERVICE_SECRET_ACCESS_KEY'),
  }
  return createServiceAuth({ baseUrl: setting('SERVICE_URL'), region: 'us-east-1', user, apiKey })
}

/** Sends a request, and throws with the service's own code, such as SignatureDoesNotMatch. */
export async function send(
  path: string,
  init?: RequestInit,
  user?: UserCredentials,
): Promise<Response> {
  await connection()
  const serviceFetch = authFetch(createAuth(user), { baseUrl: setting('SERVICE_URL') })
  // One user's response must not stay in the cache of Next.js.
  return assertOk(await serviceFetch(path, { ...init, cache: 'no-store' }))
}

export async function assertOk(response: Response): Promise<Response> {
  if (response.ok) return response
  const [, code = ''] = /<Code>(\w+)<\/Code>/.exec(await response.text()) ?? []
  throw new Error(`the service responded with ${response.status} ${code}`.trimEnd())
}

/** Returns the groups that a user may use: with a token. */
export async function readGroups(
  user: UserCredentials,
  signal?: AbortSignal,
): Promise<ObjectGroup[]> {
  return (await send('/user/groups', { signal }, user)).json() as Promise<ObjectGroup[]>
}

/** Returns the list of the reports, as XML: signed. */
export async function listReports(signal?: AbortSignal): Promise<string> {
  const response = await send('/V1/?list-type=2&prefix=reports/', { signal })
  return response.text()
}

export function setting(name: string): string {
  const value = process.env[name]
  if (!value) throw new Error(`${name} is not set: add it to .env.local`)
  return value
}
