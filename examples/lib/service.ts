// The one module of an application that knows the service. The examples with a framework import it.
import { authFetch, createTokenAuth } from '@svc/auth-token'
import type { ObjectGroup } from '@svc/types'
import { objectGroups } from '@svc/types/schemas'
import { parse } from 'valibot'

/** Returns the groups that the application's account may use. */
export async function readGroups(signal?: AbortSignal): Promise<ObjectGroup[]> {
  const {
    SERVICE_URL: baseUrl,
    SERVICE_USERNAME: username = '',
    SERVICE_PASSWORD: password = '',
  } = process.env
  if (!baseUrl) throw new Error('SERVICE_URL is not set')
  // Wherever it is made, and however often: in one process, the same login is one session.
  const auth = createTokenAuth({ baseUrl, credentials: { username, password } })
  const serviceFetch = authFetch(auth, { baseUrl })
  const response = await serviceFetch('/user/groups', { signal: signal ?? null })
  if (!response.ok) throw new Error(`the service responded with ${response.status}`)
  return parse(objectGroups, await response.json())
}
