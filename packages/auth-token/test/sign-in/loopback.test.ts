import { createSessionAuth } from '@svc/auth-token'
import { memoryTokenStore } from '@svc/auth-token/memory-store'
import { refreshToken } from '@svc/auth-token/oauth2'
import { loopback } from '@svc/auth-token/sign-in'
import { expect, test } from 'vitest'
import { turnedTime } from '../support/time.ts'
import { createBrowser, type Page } from './support/browser.ts'
import { reports, startProvider } from './support/provider.ts'

test('a user who signs in in the browser is asked once, and sees a page without secrets', async () => {
  const { issuer, count, provider } = await startProvider()
  const time = turnedTime()
  const pages: Page[] = []
  const browser = createBrowser()
  const auth = createSessionAuth({
    baseUrl: 'https://api.example.com',
    ...refreshToken(
      loopback({
        issuer,
        scope: 'openid offline_access read',
        resource: reports,
        async open(url) {
          pages.push(await browser.signIn(url))
        },
      }),
    ),
    store: memoryTokenStore(time.clock),
    clock: time.clock,
  })
  const token = await auth.getToken()
  expect(await provider.AccessToken.find(token)).toMatchObject({
    accountId: 'reader',
    aud: reports,
  })
  time.now += 600_000
  expect(await auth.getToken()).not.toBe(token)
  expect(count('/reg')).toBe(1)
  expect(count('/token')).toBe(2)
  const [{ status, headers, text }] = pages as [Page]
  expect(status).toBe(200)
  expect(text).toContain('<title>Signed in</title>')
  expect(headers['cache-control']).toBe('no-store')
  expect(headers['referrer-policy']).toBe('no-referrer')
})
