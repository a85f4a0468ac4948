// Tests code that calls the service, with the emulator in its place: no sockets, no waiting.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { authFetch, createTokenAuth } from '@svc/auth-token'
import { createEmulator, defaultUsers, type Emulator } from '@svc/emulator'
import type { Fetch } from '@svc/types'
import { objectGroups } from '@svc/types/schemas'
import { parse } from 'valibot'

const baseUrl = 'https://search.example.com'

/** Your code, which is given the client to send with. */
async function countGroups(serviceFetch: Fetch): Promise<number> {
  const response = await serviceFetch('/user/groups')
  if (!response.ok) throw new Error(`the service responded with ${response.status}`)
  return parse(objectGroups, await response.json()).length
}

/** Returns the client for your code: all its requests go to the emulator. */
function clientOf(emulator: Emulator, clock = Date.now): Fetch {
  const inner = { fetch: emulator.fetch }
  const auth = createTokenAuth({ baseUrl, credentials: defaultUsers[0], clock, ...inner })
  return authFetch(auth, { baseUrl, ...inner })
}

test('the groups are counted', async () => {
  assert.equal(await countGroups(clientOf(createEmulator())), 2)
})

test('a revoked token goes unnoticed', async () => {
  const emulator = createEmulator()
  const client = clientOf(emulator)
  await countGroups(client)
  emulator.revokeTokens()
  assert.equal(await countGroups(client), 2)
  assert.deepEqual(
    emulator.requests.map(({ status }) => status),
    [200, 200, 401, 200, 200], // login, groups, groups, login, groups
  )
})

test('a day later there is one more login', async () => {
  let now = Date.UTC(2026, 0, 1)
  const emulator = createEmulator({ clock: () => now })
  const client = clientOf(emulator, () => now)
  await countGroups(client)
  now += 24 * 60 * 60 * 1000
  await countGroups(client)
  assert.equal(emulator.logins, 2)
})

test('a service that is down is told by its status', async () => {
  const emulator = createEmulator()
  emulator.fault({ path: '/user/groups', status: 503 })
  await assert.rejects(countGroups(clientOf(emulator)), /the service responded with 503/)
})
