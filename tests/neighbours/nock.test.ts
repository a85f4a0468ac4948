import { AuthError, authFetch, createServiceAuth } from '@svc/service-auth'
import { forgetSessions } from '@svc/auth-token'
import nock from 'nock'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { account, wrongAccount } from '../works-with/account.ts'

const baseUrl = 'https://search.example.com'

beforeEach(() => nock.disableNetConnect())
afterEach(() => {
  nock.cleanAll()
  nock.restore()
  nock.activate()
  forgetSessions()
})

test('it sees the token and the signature as they are sent', async () => {
  const auth = createServiceAuth({ baseUrl, ...account })
  const signed = { authorization: /^AWS4-HMAC-SHA256 Credential=EMULATORCLIENTKEY\// }
  // #region nock
  nock(baseUrl).post('/user/login').reply(200, { Token: 'a-token' })
  nock(baseUrl, { reqheaders: { 'x-svc-security-token': 'a-token' } })
    .get('/user/groups')
    .times(2)
    .reply(200, [])
  nock(baseUrl, { reqheaders: signed }).put('/V1/a.csv', 'a;b').reply(200)
  // #endregion
  const send = authFetch(auth, { baseUrl })
  const calls = [
    send('/user/groups'),
    send('/user/groups'),
    send('/V1/a.csv', { method: 'PUT', body: 'a;b' }),
  ]
  expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([200, 200, 200])
  expect(nock.isDone()).toBe(true)
})

test('a refused login is not repeated', async () => {
  nock(baseUrl).post('/user/login').reply(401, { Message: 'no' })
  const send = authFetch(createServiceAuth({ baseUrl, ...wrongAccount }), { baseUrl })
  const error: unknown = await send('/user/groups').catch((reason: unknown) => reason)
  expect(AuthError.is(error) && error.code).toBe('ERR_AUTH_LOGIN_REFUSED')
  expect(nock.isDone()).toBe(true)
})

test('a request that it knows nothing of fails at once', async () => {
  const send = authFetch(createServiceAuth({ baseUrl, ...account }), { baseUrl })
  const login: unknown = await send('/user/groups').catch((reason: unknown) => reason)
  expect(AuthError.is(login) && login.code).toBe('ERR_AUTH_LOGIN_NETWORK')
  await expect(send('/V1/a.csv')).rejects.toThrow(TypeError)
})

test('an aborted call ends, however long the response takes', async () => {
  nock(baseUrl).get('/V1/a.csv').delay(3_600_000).reply(200)
  const send = authFetch(createServiceAuth({ baseUrl, ...account }), { baseUrl })
  const signal = AbortSignal.timeout(50)
  await expect(send('/V1/a.csv', { signal })).rejects.toThrow('timeout')
  nock.abortPendingRequests()
})
