import { createServer } from 'node:http'
import { authFetch, createSessionAuth, type TokenAuth } from '@svc/auth-token'
import { memoryTokenStore } from '@svc/auth-token/memory-store'
import { refreshToken } from '@svc/auth-token/oauth2'
import { loopback } from '@svc/auth-token/sign-in'
import { stepUp, stepUpOf } from '@svc/auth-token/step-up'
import { expect, onTestFinished, test } from 'vitest'
import { listenOnLoopback } from '../../../../tests/support/loopback.ts'
import { createBrowser } from '../sign-in/support/browser.ts'
import { reports, startProvider } from '../sign-in/support/provider.ts'
import { failure } from '../step-up/support/demanding-server.ts'
import { turnedTime } from '../support/time.ts'

/** A user with a browser, a provider of OpenID Connect, and a resource server that asks it about its tokens. */
async function setUp() {
  const { issuer, provider, count } = await startProvider()
  const time = turnedTime()
  /** The tokens that were first seen after so many logins. */
  const loginsBefore = new Map<string, number>()
  let logins = 0
  const server = createServer((request, response) => {
    const token = request.headers.authorization?.replace('Bearer ', '') ?? ''
    const needed = request.url?.slice(1) ?? ''
    void (async () => {
      const { scope = '' } = (await provider.AccessToken.find(token)) ?? {}
      const before = loginsBefore.get(token) ?? logins
      loginsBefore.set(token, before)
      const isEnough = needed === 'pay' ? before > 1 : scope.split(' ').includes(needed)
      const challenge =
        needed === 'pay'
          ? 'Bearer error="insufficient_user_authentication", max_age="0"'
          : `Bearer error="insufficient_scope", scope="${needed}"`
      if (isEnough) response.end()
      else response.writeHead(403, { 'www-authenticate': challenge }).end()
    })()
  })
  const { url, close } = await listenOnLoopback(server)
  onTestFinished(close)
  const browser = createBrowser()
  const opened: URL[] = []
  const user = { signsIn: true }
  const open = async (address: string): Promise<void> => {
    opened.push(new URL(address))
    if (!user.signsIn) return void (await browser.cancel(address))
    let page = await browser.load(new URL(address))
    while (page.text.includes('<form')) {
      if (page.text.includes('name="password"')) logins += 1
      page = await browser.submit(page, { login: 'reader', password: 'a password' })
    }
  }
  const store = memoryTokenStore(time.clock)
  /** The scheme of a process. */
  const scheme = (scope = 'openid offline_access read'): TokenAuth =>
    stepUp({
      scope,
      clock: time.clock,
      session: (wanted) =>
        createSessionAuth({
          baseUrl: url,
          ...refreshToken(
            loopback({ issuer, clientId: 'app', resource: reports, open, ...wanted }),
          ),
          store,
          session: 'own',
          clock: time.clock,
        }),
    })
  const statusOf = async (auth: TokenAuth, path: string): Promise<number> =>
    (await authFetch(auth, { baseUrl: url })(path)).status
  return { scheme, statusOf, opened, user, time, count, logins: () => logins }
}

test('a user is asked in the browser for a further scope, once for all callers and processes', async () => {
  const { scheme, statusOf, opened, time, count } = await setUp()
  const auth = scheme()
  expect(await statusOf(auth, '/read')).toBe(200)
  const statuses = await Promise.all(Array.from({ length: 20 }, () => statusOf(auth, '/write')))
  expect(new Set(statuses)).toEqual(new Set([200]))
  expect(await statusOf(scheme(), '/write')).toBe(200)
  const scopes = opened.map(({ searchParams }) => searchParams.get('scope'))
  expect(scopes).toEqual(['openid offline_access read', 'openid offline_access read write'])
  // The sign-in goes on with all scopes, and the user is not asked again.
  time.now += 600_000
  expect(await statusOf(auth, '/write')).toBe(200)
  expect(await statusOf(scheme(), '/write')).toBe(200)
  expect(opened).toHaveLength(2)
  expect(count('/token', 200)).toBeGreaterThan(2)
})

test('a fresher authentication has the user log in again, though the browser is signed in', async () => {
  const { scheme, statusOf, opened, logins } = await setUp()
  const auth = scheme()
  expect(await statusOf(auth, '/read')).toBe(200)
  expect(logins()).toBe(1)
  expect(await statusOf(auth, '/pay')).toBe(200)
  expect(logins()).toBe(2)
  expect(opened.map(({ searchParams }) => searchParams.get('max_age'))).toEqual([null, '0'])
  // Another process has the same need, and the sign-in of the first one.
  expect(await statusOf(scheme(), '/pay')).toBe(200)
  expect(logins()).toBe(2)
})

test('a user who denies gets an error that says what for, and keeps what there is', async () => {
  const { scheme, statusOf, opened, user, time } = await setUp()
  const auth = scheme()
  expect(await statusOf(auth, '/read')).toBe(200)
  user.signsIn = false
  const error = await failure(statusOf(auth, '/write'))
  expect(error).toMatchObject({ code: 'ERR_AUTH_SIGN_IN_DENIED' })
  expect(error.message).toMatch(/needs scope 'write', and the login failed: .*denied/)
  expect(stepUpOf(error)).toEqual({ scope: 'openid offline_access read write' })
  expect(await statusOf(auth, '/read')).toBe(200)
  await failure(statusOf(auth, '/write'))
  expect(opened).toHaveLength(2)
  time.now += 60_000
  user.signsIn = true
  expect(await statusOf(auth, '/write')).toBe(200)
  expect(opened).toHaveLength(3)
})
