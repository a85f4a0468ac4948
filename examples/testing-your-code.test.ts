// Tests code that calls the service, with the emulator in its place: no sockets, no waiting.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { authFetch, createTokenAuth } from '@svc/auth-token'
import { createEmulator, defaultUsers, type Emulator } from '@svc/emulator'
import type { Fetch } from '@svc/types'
import { objectGroups } from '@svc/types/schemas'
import { parse } from 'valibot'

const baseUrl = 'https://search.example.com'

/** Your code, which is given the `fetch` to use. */
async function countGroups(fetch: Fetch): Promise<number> {
  const response = await fetch(`${baseUrl}/user/groups`)
  if (!response.ok) throw new Error(`the service answered ${response.status}`)
  return parse(objectGroups, await response.json()).length
}

/** The client of your code, whose requests all go to the emulator. */
function clientOf({ fetch }: Emulator, clock = Date.now): Fetch {
  const auth = createTokenAuth({ baseUrl, credentials: defaultUsers[0], fetch, clock })
  return authFetch(auth, { fetch })
}

test('the groups are counted', async () => {
  assert.equal(await countGroups(clientOf(createEmulator())), 2)
})

test('a revoked token goes unnoticed', async () => {
  const emulator = createEmulator()
  const fetch = clientOf(emulator)
  await countGroups(fetch)
  emulator.revokeTokens()
  assert.equal(await countGroups(fetch), 2)
  assert.deepEqual(
    emulator.requests.map(({ status }) => status),
    [200, 200, 401, 200, 200], // login, groups, groups, login, groups
  )
})

test('a day later there is one more login', async () => {
  let now = Date.UTC(2026, 0, 1)
  const emulator = createEmulator({ clock: () => now })
  const fetch = clientOf(emulator, () => now)
  await countGroups(fetch)
  now += 24 * 60 * 60 * 1000
  await countGroups(fetch)
  assert.equal(emulator.logins, 2)
})

test('a service that is down is told by its status', async () => {
  const emulator = createEmulator()
  emulator.fault({ path: '/user/groups', status: 503 })
  await assert.rejects(countGroups(clientOf(emulator)), /the service answered 503/)
})
