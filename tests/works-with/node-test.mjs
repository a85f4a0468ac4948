import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { AuthError, authFetch, createServiceAuth } from '@svc/service-auth'
import { createEmulator, defaultApiKeys, defaultUsers } from '@svc/emulator'

const account = { user: defaultUsers[0], apiKey: defaultApiKeys[0], region: 'us-east-1' }

// #region node-test
let emulator
let service
beforeEach(async () => {
  emulator = createEmulator()
  service = await emulator.listen()
})
afterEach(() => service.close())

test('a group is listed and a report stored, with one login', async () => {
  const { baseUrl } = service
  const send = authFetch(createServiceAuth({ baseUrl, ...account }), { baseUrl })
  assert.equal((await send('/user/groups')).status, 200)
  assert.equal((await send('/V1/a b.csv', { method: 'PUT', body: 'a;b' })).status, 200)
  assert.equal(emulator.logins, 1)
})
// #endregion

test('a refused login is an AuthError', async () => {
  const { baseUrl } = service
  const user = { ...account.user, password: 'wrong' }
  const send = authFetch(createServiceAuth({ baseUrl, ...account, user }), { baseUrl })
  await assert.rejects(send('/user/groups'), (error) => AuthError.is(error))
  assert.equal(emulator.requests.length, 1)
})

test('an aborted call ends', async () => {
  const { baseUrl } = service
  emulator.fault({ latencyMs: 3_600_000 })
  const send = authFetch(createServiceAuth({ baseUrl, ...account }), { baseUrl })
  const signal = AbortSignal.timeout(50)
  await assert.rejects(send('/V1/a', { signal }), { name: 'TimeoutError' })
})
