// Adds a route with its own API key to the service's two kinds of route.
import { matchOrigins } from '@svc/auth-hooks/scheme'
import { createSigV4Auth } from '@svc/auth-sigv4'
import { createTokenAuth } from '@svc/auth-token'
import { createEmulator, defaultApiKeys, defaultUsers } from '@svc/emulator'
import { authFetch, createRouteAuthSelector } from '@svc/route-auth-selector'
import type { AuthScheme } from '@svc/types'

/** Sends a key in `x-report-key`, read for each attempt: after a refusal, it is read once more. */
function createReportKeyAuth(baseUrl: URL, readKey: () => Promise<string>): AuthScheme {
  return {
    name: 'report-key',
    covers: matchOrigins([baseUrl.origin], '[example] keyAuth', 'baseUrl'),
    authorize: async () => ({
      scheme: 'report-key',
      headers: [['x-report-key', await readKey()]],
      review: ({ status }) => (status === 401 ? 'rejected' : undefined),
    }),
  }
}

// The emulator stands in for the service, and for a report server that changed its key at night.
const emulator = createEmulator()
const service = await emulator.listen()
const baseUrl = service.url
emulator.fault({ path: '/reports/today', status: 401, times: 1 })
emulator.fault({ path: '/reports/today', body: '3 new objects' })

const keys = ['key-of-yesterday', 'key-of-today']
const auth = createRouteAuthSelector({
  origins: [baseUrl],
  routes: [
    { prefix: '/reports', use: createReportKeyAuth(baseUrl, async () => keys.shift() ?? '') },
    { prefix: '/user', use: createTokenAuth({ baseUrl, credentials: defaultUsers[0] }) },
  ],
  otherwise: createSigV4Auth({ baseUrl, region: 'us-east-1', credentials: defaultApiKeys[0] }),
})
const serviceFetch = authFetch(auth, { baseUrl })

console.log(await (await serviceFetch('/reports/today')).text())
for (const path of ['/user/groups', '/V1/']) await serviceFetch(path)
for (const { path, status, headers } of emulator.requests) {
  const key = headers['x-report-key'] ?? 'no report key'
  console.log(`${path}: ${status}, ${key}`)
}

await service.close()
