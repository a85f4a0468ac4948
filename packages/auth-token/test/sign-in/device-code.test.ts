import { createSessionAuth } from '@svc/auth-token'
import { memoryTokenStore } from '@svc/auth-token/memory-store'
import { refreshToken } from '@svc/auth-token/oauth2'
import { deviceCode, type DevicePrompt } from '@svc/auth-token/sign-in'
import { expect, test } from 'vitest'
import { manualTime } from '../support/time.ts'
import { createBrowser } from './support/browser.ts'
import { startProvider } from './support/provider.ts'

test('a user who enters the code is asked once, and its refresh tokens go on', async () => {
  const { issuer, count, provider } = await startProvider()
  const time = manualTime()
  const shown: DevicePrompt[] = []
  const browser = createBrowser()
  const events: string[] = []
  const auth = createSessionAuth({
    baseUrl: 'https://api.example.com',
    ...refreshToken(
      deviceCode({
        issuer,
        clientId: 'app',
        scope: 'openid offline_access',
        async show(prompt) {
          shown.push(prompt)
          await browser.signIn(prompt.verificationUri, { user_code: prompt.userCode })
        },
      }),
    ),
    store: memoryTokenStore(time.clock),
    clock: time.clock,
    onEvent: ({ type }) => events.push(type),
  })
  const token = await time.run(auth.getToken())
  expect(await provider.AccessToken.find(token)).toMatchObject({ accountId: 'reader' })
  await time.advance(600_000)
  const next = await time.run(auth.getToken())
  expect(next).not.toBe(token)
  expect(await provider.AccessToken.find(next)).toMatchObject({ accountId: 'reader' })
  expect(shown).toHaveLength(1)
  expect(count('/device/auth')).toBe(1)
  expect(events).toEqual(['sign-in.asked', 'login.ok', 'login.start', 'login.ok'])
})
