import { authFetch, createServiceAuth } from '@svc/service-auth'
import { env } from 'cloudflare:workers'

// At module level on purpose: workerd forbids the network, timers and randomness here.
const { BASE_URL: baseUrl, SVC_PASSWORD: password, SVC_SECRET_KEY: secretAccessKey } = env
const user = { username: 'reader@example.com', password }
const apiKey = { accessKeyId: 'AKIDREADER', secretAccessKey }
const auth = createServiceAuth({ baseUrl, region: 'us-east-1', user, apiKey })
const serviceFetch = authFetch(auth, { baseUrl })

export default {
  async fetch() {
    const groups = await serviceFetch('/user/groups')
    const stored = await serviceFetch('/V1/a b+c.csv', { method: 'PUT', body: 'a;b' })
    // Only `nodejs_compat` brings it.
    const hasNode = 'Buffer' in globalThis
    return Response.json({ statuses: [groups.status, stored.status], hasNode })
  },
}
