/* oxlint-disable vitest/no-standalone-expect -- `test` is that of the emulator */
import { authFetch, createTokenAuth } from '@svc/auth-token'
import { defaultUsers, type Emulator, type ListeningEmulator } from '@svc/emulator'
import { test } from '@svc/emulator/vitest'
import { describe, expect } from 'vitest'

const readGroups = ({ baseUrl }: ListeningEmulator): Promise<Response> =>
  authFetch(createTokenAuth({ baseUrl, credentials: defaultUsers[0] }), { baseUrl })('/user/groups')

const closed: ListeningEmulator[] = []

describe('each test', () => {
  // #region vitest
  test('has an emulator that listens', async ({ emulator, service: { baseUrl } }) => {
    const auth = createTokenAuth({ baseUrl, credentials: defaultUsers[0] })
    const response = await authFetch(auth, { baseUrl })('/user/groups')
    expect([response.status, emulator.logins]).toEqual([200, 1])
  })
  // #endregion

  test('may ask often, with one login', async ({ emulator, service }) => {
    closed.push(service)
    expect((await readGroups(service)).status).toBe(200)
    expect((await readGroups(service)).status).toBe(200)
    expect(emulator.logins).toBe(1)
  })

  test('has one of its own, and that of the test before is closed', async ({ emulator }) => {
    expect(emulator.requests).toEqual([])
    const [before] = closed
    await expect(fetch(before?.url ?? '')).rejects.toThrow(TypeError)
  })
})

// Before the tests of sessions, which it must not keep from being forgotten.
describe('a wrong option', () => {
  const emulatorOptions = { maxBodyBytes: -1 }
  test.extend({ emulatorOptions }).fails('fails its test', ({ emulator }) => {
    expect(emulator).toBeUndefined()
  })
})

describe('sessions', () => {
  let current: Emulator
  const credentials = defaultUsers[0]
  // The session of a scheme belongs to an address and a `fetch`: both stay the same.
  const baseUrl = 'https://search.example.com'
  const send = (input: string | URL | Request, init?: RequestInit) => current.fetch(input, init)

  test.for(['first', 'second'])(
    'are forgotten between tests: the %s one logs in at once',
    async (_order, { emulator }) => {
      current = emulator
      const auth = createTokenAuth({ baseUrl, credentials, fetch: send })
      const serviceFetch = authFetch(auth, { baseUrl, fetch: send })
      expect((await serviceFetch('/user/groups')).status).toBe(200)
      expect(emulator.requests.map(({ path }) => path)).toEqual(['/user/login', '/user/groups'])
    },
  )
})

describe('options', () => {
  const user = { username: 'reader@example.com', password: 'not-a-secret', groups: [] }
  const emulatorOptions = { users: [user] }

  test.extend({ emulatorOptions })('are those of an extended test', async ({ service }) => {
    const credentials = { username: user.username, password: user.password }
    const auth = createTokenAuth({ baseUrl: service.baseUrl, credentials })
    const groups = await authFetch(auth, { baseUrl: service.baseUrl })('/user/groups')
    expect(await groups.json()).toEqual([])
  })
})

describe.concurrent('tests at the same time', () => {
  for (const name of ['one', 'another']) {
    test(`do not forget each other's sessions: ${name}`, async ({ emulator, service }) => {
      for (let count = 0; count < 20; count += 1) await readGroups(service)
      expect(emulator.logins).toBe(1)
    })
  }
})
