import { createSessionAuth } from '@svc/auth-token'
import { memoryTokenStore } from '@svc/auth-token/memory-store'
import { refreshToken } from '@svc/auth-token/oauth2'
import { loopback } from '@svc/auth-token/sign-in'
import { expect, test } from 'vitest'
import { manualTime } from '../support/time.ts'
import { navigation, send } from './support/browser.ts'
import { scriptedServer, token } from './support/scripted-server.ts'

test('a sign-in goes on once the browser came back, although nobody waits for it', async () => {
  const time = manualTime()
  const server = await scriptedServer()
  let respond: (() => void) | undefined
  server.replies['/token'] = ({ response }) => {
    respond = () => void response.end(JSON.stringify(token()))
    return undefined
  }
  const pages: number[] = []
  const open = async (address: string): Promise<void> => {
    const { searchParams } = new URL(address)
    const back = new URL(searchParams.get('redirect_uri') ?? '')
    const state = searchParams.get('state') ?? ''
    back.search = new URLSearchParams({ code: 'a code', state }).toString()
    const { status } = await send(back, { ...navigation, host: back.host })
    pages.push(status)
  }
  const auth = createSessionAuth({
    baseUrl: 'https://api.example.com',
    ...refreshToken(loopback({ issuer: server.issuer, clientId: 'app', open })),
    store: memoryTokenStore(time.clock),
    session: 'own',
    clock: time.clock,
  })
  const controller = new AbortController()
  const call = auth.getToken({ signal: controller.signal }).catch((error: unknown) => error)
  await expect.poll(() => time.advance(1).then(() => respond)).toBeDefined()
  controller.abort('gone')
  expect(await call).toBe('gone')
  await time.advance(5000)
  respond?.()
  expect(await time.run(auth.getToken())).toBe('a-token')
  await expect.poll(() => pages).toEqual([200])
  expect(server.to('/token')).toHaveLength(1)
})
