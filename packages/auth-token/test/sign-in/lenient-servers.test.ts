import { createSessionAuth } from '@svc/auth-token'
import { memoryTokenStore } from '@svc/auth-token/memory-store'
import { refreshToken } from '@svc/auth-token/oauth2'
import { loopback } from '@svc/auth-token/sign-in'
import { expect, test } from 'vitest'
import { straightBack } from './support/browser.ts'
import { type Reply, scriptedServer, token } from './support/scripted-server.ts'
import { failure, userOf } from './support/sessions.ts'

async function setUp() {
  const server = await scriptedServer()
  const user = userOf(server.issuer)
  user.user.act = () => {}
  return { server, ...user }
}

test('an empty error beside a token is none', async () => {
  const { server, session, time, shown } = await setUp()
  server.replies['/device'] = { ...server.code, error: '' }
  server.replies['/token'] = { ...token(), error: '' }
  const auth = session()
  expect(await time.run(auth.getToken())).toBe('a-token')
  await time.advance(600_001)
  server.replies['/token'] = { ...token('the-next-token'), error: '' }
  expect(await time.run(auth.getToken())).toBe('the-next-token')
  expect(shown).toHaveLength(1)
})

test('a text in place of the code of an error stands in no message', async () => {
  const { server, session, time } = await setUp()
  const text = 'SplxlOBeZQQYbYS6WxSbIA'
  server.replies['/token'] = [400, { error: text }]
  const thrown = await time.run(failure(session()))
  expect(String(thrown)).toContain('an unknown error')
  expect(String(thrown)).not.toContain(text)
})

test('the iss of a server is compared with an issuer that is given as a URL', async () => {
  const { issuer } = await scriptedServer()
  const signIn = loopback({
    issuer: new URL(issuer),
    tokenEndpoint: `${issuer}/token`,
    authorizationEndpoint: `${issuer}/authorize`,
    clientId: 'app',
    open: straightBack({ iss: issuer }).open,
  })
  const baseUrl = 'https://api.example.com'
  const store = memoryTokenStore()
  const auth = createSessionAuth({ baseUrl, ...refreshToken(signIn), store, session: 'own' })
  expect(await auth.getToken()).toBe('a-token')
})

test('cookies that other programs of this host have set keep no browser from coming back', async () => {
  const { issuer } = await scriptedServer()
  const { pages, open } = straightBack({}, { cookie: `a=${'x'.repeat(60_000)}` })
  const signIn = loopback({ issuer, clientId: 'app', open, timeoutMs: 1000 })
  const baseUrl = 'https://api.example.com'
  const store = memoryTokenStore()
  const auth = createSessionAuth({ baseUrl, ...refreshToken(signIn), store, session: 'own' })
  expect(await auth.getToken()).toBe('a-token')
  await expect.poll(() => pages).toMatchObject([{ status: 200 }])
})

test('a client with a private key asks for a code by the time of the server', async () => {
  const pair = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, [
    'sign',
  ])
  const { server, session, time } = await setUp()
  const serverNow = (): number => Date.now() + 3_600_000
  const byItsTime =
    (reply: Reply): Reply =>
    ({ form, response }) => {
      response.setHeader('date', new Date(serverNow()).toUTCString())
      const [, claims = ''] = (form.get('client_assertion') ?? '').split('.')
      const { exp } = JSON.parse(Buffer.from(claims, 'base64url').toString())
      return exp * 1000 < serverNow() ? [400, { error: 'invalid_client' }] : reply
    }
  server.replies['/device'] = byItsTime(server.code)
  server.replies['/token'] = byItsTime(token())
  expect(await time.run(session({ privateKey: pair.privateKey }).getToken())).toBe('a-token')
  expect(server.to('/device')).toHaveLength(2)
})
