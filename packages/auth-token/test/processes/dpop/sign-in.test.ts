import { authFetch, createSessionAuth, type TokenAuth } from '@svc/auth-token'
import { dpop } from '@svc/auth-token/dpop'
import { memoryTokenStore } from '@svc/auth-token/memory-store'
import { refreshToken } from '@svc/auth-token/oauth2'
import { deviceCode, loopback } from '@svc/auth-token/sign-in'
import { expect, test } from 'vitest'
import { resourceServer } from '../../dpop/support/resource-server.ts'
import { withNonces } from '../../dpop/support/sessions.ts'
import { createBrowser } from '../../sign-in/support/browser.ts'
import { startProvider } from '../../sign-in/support/provider.ts'
import { turnedTime } from '../../support/time.ts'

const browser = createBrowser()

const ways = {
  deviceCode: (issuer: string) =>
    deviceCode({
      issuer,
      clientId: 'app',
      scope: 'openid offline_access',
      dpop: dpop(),
      show: ({ verificationUri, userCode }) =>
        browser.signIn(verificationUri, { user_code: userCode }),
    }),
  loopback: (issuer: string) =>
    loopback({
      issuer,
      clientId: 'app',
      scope: 'openid offline_access',
      dpop: dpop(),
      open: (url) => browser.signIn(url),
    }),
}

test.each(['deviceCode', 'loopback'] as const)(
  'a user signs in once by %s, and the processes go on with the key of that',
  async (way) => {
    const options = { binds: true, features: withNonces, intervalSeconds: 1 }
    const { issuer, provider, count, revoked } = await startProvider(options)
    const resource = await resourceServer((token) => provider.AccessToken.find(token), {
      nonces: 'one',
    })
    const time = turnedTime()
    const store = memoryTokenStore(time.clock)
    const session = (): TokenAuth =>
      createSessionAuth({
        baseUrl: resource.origin,
        ...refreshToken(ways[way](issuer)),
        store,
        session: 'own',
        clock: time.clock,
      })
    const get = async (auth: TokenAuth): Promise<number> =>
      (await authFetch(auth)(`${resource.origin}/a`)).status
    expect(await get(session())).toBe(200)
    expect(await get(session())).toBe(200)
    time.now += 600_000
    expect(await Promise.all([session(), session(), session()].map(get))).toEqual([200, 200, 200])
    time.now += 600_000
    expect(await get(session())).toBe(200)
    expect(count(way === 'loopback' ? '/auth' : '/device/auth')).toBe(1)
    expect(revoked).toEqual([])
    const keys = resource.proofs().map(({ header }) => header.jwk['x'])
    expect(new Set(keys).size).toBe(1)
  },
)
