import { AuthError, authFetch, createServiceAuth } from '@svc/service-auth'
import { forgetSessions } from '@svc/auth-token'
import { type Dispatcher, getGlobalDispatcher, MockAgent, setGlobalDispatcher } from 'undici'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { account, wrongAccount } from './account.ts'

const baseUrl = 'https://search.example.com'

let before: Dispatcher
let agent: MockAgent
beforeEach(() => {
  before = getGlobalDispatcher()
  agent = new MockAgent()
})
afterEach(async () => {
  setGlobalDispatcher(before)
  await agent.close()
  forgetSessions()
})

/** Mocks a login that has a token, or none. */
function mockLogin(status: 200 | 401): void {
  agent
    .get(baseUrl)
    .intercept({ path: '/user/login', method: 'POST' })
    .reply(status, status === 200 ? { Token: 'a-token' } : { Message: 'no' })
}

test('it sees the token and the signature as they are sent', async () => {
  const seen: unknown[] = []
  const auth = createServiceAuth({ baseUrl, ...account })
  // #region mock-agent
  agent.disableNetConnect()
  setGlobalDispatcher(agent)
  const service = agent.get(baseUrl)
  service.intercept({ path: '/user/login', method: 'POST' }).reply(200, { Token: 'a-token' })
  service
    .intercept({ path: '/user/groups', headers: { 'x-svc-security-token': 'a-token' } })
    .reply(200, [])
  // #endregion
  service.intercept({ path: '/V1/a.csv', method: 'PUT' }).reply(({ headers }) => {
    seen.push(new Headers(headers as HeadersInit).get('authorization'))
    return { statusCode: 200 }
  })
  const send = authFetch(auth, { baseUrl })
  expect((await send('/user/groups')).status).toBe(200)
  expect((await send('/V1/a.csv', { method: 'PUT', body: 'a;b' })).status).toBe(200)
  expect(seen).toEqual([expect.stringContaining('Credential=EMULATORCLIENTKEY/')])
  agent.assertNoPendingInterceptors()
})

test('a refused login is not repeated', async () => {
  agent.disableNetConnect()
  setGlobalDispatcher(agent)
  mockLogin(401)
  const send = authFetch(createServiceAuth({ baseUrl, ...wrongAccount }), { baseUrl })
  const error: unknown = await send('/user/groups').catch((reason: unknown) => reason)
  expect(AuthError.is(error) && error.code).toBe('ERR_AUTH_LOGIN_REFUSED')
  agent.assertNoPendingInterceptors()
})

test('a request that it knows nothing of fails at once', async () => {
  agent.disableNetConnect()
  setGlobalDispatcher(agent)
  mockLogin(200)
  const send = authFetch(createServiceAuth({ baseUrl, ...account }), { baseUrl })
  await expect(send('/user/groups')).rejects.toThrow(TypeError)
  await expect(send('/V1/a.csv')).rejects.toThrow(TypeError)
})

test('an aborted call ends, however long the response takes', async () => {
  agent.disableNetConnect()
  setGlobalDispatcher(agent)
  agent.get(baseUrl).intercept({ path: '/V1/a.csv' }).reply(200, 'a').delay(60_000)
  const send = authFetch(createServiceAuth({ baseUrl, ...account }), { baseUrl })
  await expect(send('/V1/a.csv', { signal: AbortSignal.timeout(50) })).rejects.toThrow('timeout')
})

test('it cannot match the body of a fetch, not even of the platform’s own', async () => {
  agent.disableNetConnect()
  setGlobalDispatcher(agent)
  agent.get(baseUrl).intercept({ path: '/V1/a.csv', method: 'PUT', body: 'a;b' }).reply(200)
  const init = { method: 'PUT', body: 'a;b' }
  const send = authFetch(createServiceAuth({ baseUrl, ...account }), { baseUrl })
  await expect(fetch(`${baseUrl}/V1/a.csv`, init)).rejects.toThrow(TypeError)
  await expect(send('/V1/a.csv', init)).rejects.toThrow(TypeError)
})
