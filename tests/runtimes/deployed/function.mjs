import { authFetch, createServiceAuth } from '@svc/service-auth'

// At module level on purpose: it outlives a call.
const { BASE_URL: baseUrl = '', SVC_PASSWORD: password = '' } = process.env
const user = { username: 'reader@example.com', password }
const apiKey = { accessKeyId: 'AKIDREADER', secretAccessKey: process.env.SVC_SECRET_KEY ?? '' }
const auth = createServiceAuth({ baseUrl, region: 'us-east-1', user, apiKey })
const serviceFetch = authFetch(auth, { baseUrl })

/** Reads groups and stores an object, as a function in a cloud does for an event. */
export async function handler({ key }) {
  const groups = await serviceFetch('/user/groups')
  const stored = await serviceFetch(`/V1/${key}`, { method: 'PUT', body: 'a;b' })
  return [groups.status, stored.status]
}
