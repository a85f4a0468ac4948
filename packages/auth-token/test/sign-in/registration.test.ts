import { createServer } from 'node:net'
import { createSessionAuth, type TokenAuth } from '@svc/auth-token'
import { memoryTokenStore } from '@svc/auth-token/memory-store'
import { refreshToken } from '@svc/auth-token/oauth2'
import { sharedTokenStore } from '@svc/auth-token/sharing'
import { loopback, type LoopbackOptions } from '@svc/auth-token/sign-in'
import { describe, expect, onTestFinished, test } from 'vitest'
import { manualTime } from '../support/time.ts'
import { straightBack } from './support/browser.ts'
import { scriptedServer } from './support/scripted-server.ts'
import { failure, userOf, withCode } from './support/sessions.ts'

const discovery = '/.well-known/openid-configuration'
const failed = withCode('ERR_AUTH_SIGN_IN_FAILED')

/** A server that registers clients, each by another name. */
async function registering() {
  const server = await scriptedServer()
  const { metadata, replies, issuer } = server
  replies[discovery] = { ...metadata, registration_endpoint: `${issuer}/register` }
  replies['/register'] = () => [201, { client_id: `client-${server.to('/register').length}` }]
  const time = manualTime()
  const shared = memoryTokenStore(time.clock)
  const opened: URL[] = []
  /** The session of another process each time. */
  const session = (
    open: LoopbackOptions['open'],
    own: Partial<LoopbackOptions> & { store?: typeof shared } = {},
  ): TokenAuth => {
    const { store = shared, ...rest } = own
    const noted: LoopbackOptions['open'] = (url, about) => {
      opened.push(new URL(url))
      return open(url, about)
    }
    return createSessionAuth({
      baseUrl: 'https://api.example.com',
      ...refreshToken(loopback({ issuer, scope: 'openid', open: noted, ...rest })),
      store,
      session: 'own',
      clock: time.clock,
    })
  }
  const asked = (name: string): (string | null)[] =>
    opened.map(({ searchParams }) => searchParams.get(name))
  return { ...server, time, shared, session, asked }
}

const noBrowser = (): never => {
  throw new Error('there is no browser')
}

describe('a client that was registered for a sign-in that failed', () => {
  test('is that of the next try, with its address, and no other is registered', async () => {
    const { to, time, session, asked } = await registering()
    expect(await time.run(failure(session(noBrowser)))).toEqual(failed)
    expect(await time.run(failure(session(noBrowser)))).toEqual(failed)
    expect(await session(straightBack().open).getToken()).toBe('a-token')
    expect(to('/register')).toHaveLength(1)
    expect(asked('client_id')).toEqual(['client-1', 'client-1', 'client-1'])
    expect(new Set(asked('redirect_uri')).size).toBe(1)
    const [{ body } = { body: '' }] = to('/register')
    expect(JSON.parse(body).redirect_uris).toEqual(asked('redirect_uri').slice(0, 1))
    expect(to('/token')[0]?.form.get('client_id')).toBe('client-1')
  })

  test('is not that of a try at another port, which its server may not take', async () => {
    const { to, time, session, asked } = await registering()
    await time.run(failure(session(noBrowser)))
    const { port } = new URL(asked('redirect_uri')[0] ?? '')
    const other = createServer().listen(Number(port), '127.0.0.1')
    onTestFinished(() => void other.close())
    expect(await session(straightBack().open).getToken()).toBe('a-token')
    expect(asked('client_id')).toEqual(['client-1', 'client-2'])
    expect(to('/token')[0]?.form.get('client_id')).toBe('client-2')
  })

  test.for([
    ['asks for something else', { clientName: 'another' }],
    ['comes back to another path', { redirectUri: 'http://127.0.0.1/another' }],
    ['comes back to another host', { redirectUri: 'http://localhost/callback' }],
  ] as const)('is not that of one that %s', async ([, own]) => {
    const { time, session, asked } = await registering()
    await time.run(failure(session(noBrowser)))
    await time.run(failure(session(noBrowser, own)))
    expect(asked('client_id')).toEqual(['client-1', 'client-2'])
  })

  test('is registered anew after an hour, or where it cannot be read', async () => {
    const { time, shared, session, asked } = await registering()
    await time.run(failure(session(noBrowser)))
    await time.advance(3_599_000)
    await time.run(failure(session(noBrowser)))
    await time.advance(2000)
    await time.run(failure(session(noBrowser)))
    expect(asked('client_id')).toEqual(['client-1', 'client-1', 'client-2'])
    const store = sharedTokenStore({
      ...shared,
      get: async (key) => (key.endsWith('-sign-in') ? undefined : shared.get(key)),
    })
    await time.run(failure(session(noBrowser, { store, sealedWith: 'a secret' })))
    expect(asked('client_id').at(-1)).toBe('client-3')
  })

  test('is given up where nobody came back: its server may have forgotten it', async () => {
    const { time, session, asked } = await registering()
    const auth = session(() => {})
    const call = failure(auth)
    await expect.poll(() => time.advance(1).then(() => asked('state'))).toHaveLength(1)
    await time.advance(400_000)
    expect(await call).toEqual(withCode('ERR_AUTH_SIGN_IN_TIMEOUT'))
    await auth.invalidate()
    await session(straightBack().open).getToken()
    expect(asked('client_id')).toEqual(['client-1', 'client-2'])
  })

  test('stays where the user denied', async () => {
    const { time, session, asked } = await registering()
    const denying = straightBack({ code: '', error: 'access_denied' })
    const auth = session(denying.open)
    expect(await failure(auth)).toEqual(withCode('ERR_AUTH_SIGN_IN_DENIED'))
    await time.advance(60_000)
    await session(straightBack().open).getToken()
    expect(asked('client_id')).toEqual(['client-1', 'client-1'])
  })

  test('is given up once its server refuses it, before anything is shown', async () => {
    const { replies, to, issuer } = await registering()
    const { session, time, user } = userOf(issuer)
    const ask = (): Promise<unknown> => time.run(failure(session({ clientId: undefined })))
    user.act = noBrowser
    expect(await ask()).toEqual(failed)
    user.act = () => {}
    const { '/device': code = {} } = replies
    replies['/device'] = ({ form }) =>
      form.get('client_id') === 'client-1' ? [401, { error: 'invalid_client' }] : code
    expect(await ask()).toEqual(failed)
    expect(await ask()).toBeUndefined()
    expect(to('/register')).toHaveLength(2)
    expect(to('/device').map(({ form }) => form.get('client_id'))).toEqual([
      'client-1',
      'client-1',
      'client-2',
    ])
  })

  test('is not that of another server, which the metadata of the resource name by then', async () => {
    const [first, second] = [await registering(), await registering()]
    const resources = await scriptedServer()
    const name = (server: string): void => {
      const about = { resource: resources.issuer, authorization_servers: [server] }
      resources.replies['/.well-known/oauth-protected-resource'] = about
    }
    const { time, session } = first
    const own = { issuer: undefined, resource: resources.issuer }
    for (const { issuer } of [first, second]) {
      name(issuer)
      await time.run(failure(session(noBrowser, own)))
    }
    expect(first.to('/register')).toHaveLength(1)
    expect(second.to('/register')).toHaveLength(1)
  })
})
