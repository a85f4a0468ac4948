// Lists a user's object groups, and validates the response before anything relies on it.
import { authFetch, createTokenAuth } from '@svc/auth-token'
import { createEmulator, defaultUsers } from '@svc/emulator'
import type { ObjectGroup } from '@svc/types'
import { objectGroups } from '@svc/types/schemas'
import { parse, ValiError } from 'valibot'

// The emulator stands in for the service: use your own base URL and user.
const emulator = createEmulator()
const service = await emulator.listen()

const auth = createTokenAuth({ baseUrl: service.url, credentials: defaultUsers[0] })
const serviceFetch = authFetch(auth, { baseUrl: service.url })

async function listGroups(): Promise<ObjectGroup[]> {
  const response = await serviceFetch('/user/groups')
  if (!response.ok) throw new Error(`GET /user/groups: ${response.status}`)
  // With ky 2 this is one line: await api.get('user/groups').json(objectGroups)
  return parse(objectGroups, await response.json())
}

for (const { name, permissions } of await listGroups()) {
  console.log(`${name}: ${permissions.flatMap(({ Actions }) => Actions).join(', ')}`)
}

// A response of another shape does not get any further.
emulator.fault({ path: '/user/groups', body: '[{ "id": 7, "name": "Reports" }]' })
try {
  await listGroups()
} catch (error) {
  if (!(error instanceof ValiError)) throw error
  console.log(`refused: ${error.message}`)
}

await service.close()
