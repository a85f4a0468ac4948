import { createSessionAuth } from '@svc/auth-token'
import { memoryTokenStore } from '@svc/auth-token/memory-store'
import { refreshToken } from '@svc/auth-token/oauth2'
import { sharedTokenStore } from '@svc/auth-token/sharing'
import { deviceCode, loopback } from '@svc/auth-token/sign-in'
import { describe, expect, test } from 'vitest'
import { scriptedServer, token } from './support/scripted-server.ts'
import { failure, userOf, withCode } from './support/sessions.ts'

const discovery = '/.well-known/openid-configuration'
const failed = withCode('ERR_AUTH_SIGN_IN_FAILED')

async function setUp(replies: Parameters<typeof scriptedServer>[0] = {}) {
  const server = await scriptedServer(replies)
  const user = userOf(server.issuer)
  user.user.act = () => {}
  return { server, ...user }
}

describe('a server that is not as it must be is told before anything is shown', () => {
  test('with the metadata of another issuer', async () => {
    const { server, session, time, shown } = await setUp()
    server.replies[discovery] = { ...server.metadata, issuer: 'https://attacker.example' }
    const thrown = await time.run(failure(session()))
    expect(thrown).toEqual(withCode('ERR_AUTH_LOGIN_FAILED'))
    expect(String(thrown)).toContain(`it is https://attacker.example/, not ${server.issuer}/`)
    expect(shown).toEqual([])
  })

  test('with metadata of 5 MB', async () => {
    const { server, session, time, shown } = await setUp()
    server.replies[discovery] = { ...server.metadata, more: 'x'.repeat(5 * 2 ** 20) }
    expect(await time.run(failure(session()))).toEqual(withCode('ERR_AUTH_LOGIN_TOO_LARGE'))
    expect(shown).toEqual([])
  })

  test('with metadata that are elsewhere', async () => {
    const other = await scriptedServer()
    const { server, session, time, shown } = await setUp()
    server.replies[discovery] = ({ response }) => {
      response.writeHead(302, { location: `${other.issuer}${discovery}` }).end()
      return undefined
    }
    const thrown = await time.run(failure(session()))
    expect(thrown).toEqual(withCode('ERR_AUTH_LOGIN_REDIRECT'))
    expect(other.arrived).toEqual([])
    expect(shown).toEqual([])
  })

  test.for([discovery, '/device'])(
    'and leaves a request to %s without a response',
    async (path) => {
      const { server, session, time, shown } = await setUp()
      server.replies[path] = () => undefined
      const startedAt = time.now
      const thrown = await time.run(failure(session({ loginTimeoutMs: 5000 })))
      expect(thrown).toEqual(withCode('ERR_AUTH_LOGIN_TIMEOUT'))
      expect(time.now - startedAt).toBeLessThan(7000)
      expect(shown).toEqual([])
    },
  )
})

test.for([-3_600_000, 3_600_000])(
  'a clock that is wrong by %d ms changes nothing',
  async (offMs) => {
    const { server, session, time, shown } = await setUp()
    server.replies['/device'] = ({ response }) => {
      response.setHeader('date', new Date(time.now + offMs).toUTCString())
      return server.code
    }
    // The lifetime stands in the token alone, by the clock of the server.
    server.replies['/token'] = ({ response }) => {
      const now = Math.floor((time.now + offMs) / 1000)
      response.setHeader('date', new Date(time.now + offMs).toUTCString())
      const claims = btoa(JSON.stringify({ iat: now, exp: now + 600 })).replace(/=+$/, '')
      return { ...token(`e30.${claims}.`), expires_in: undefined }
    }
    const auth = session()
    const first = await time.run(auth.getToken())
    expect(auth.inspect().expiresAt).toBe(time.now + 600_000)
    await time.advance(600_000)
    expect(await time.run(auth.getToken())).not.toBe(first)
    expect(shown).toHaveLength(1)
    expect(server.to('/token')).toHaveLength(2)
  },
)

describe('without an identifier, a client is registered', () => {
  const withRegistration = async () => {
    const found = await setUp()
    const { server } = found
    const metadata = { ...server.metadata, registration_endpoint: `${server.issuer}/register` }
    server.replies[discovery] = metadata
    return { ...found, auth: found.session({ clientId: undefined, clientName: 'a command' }) }
  }

  test('with what it needs, and its secret goes with each refresh', async () => {
    const { server, auth, time } = await withRegistration()
    server.replies['/register'] = [201, { client_id: 'registered', client_secret: 'its secret' }]
    await time.run(auth.getToken())
    await time.advance(600_000)
    await time.run(auth.getToken())
    const { body } = server.first('/register')
    expect(JSON.parse(body)).toEqual({
      client_name: 'a command',
      scope: 'openid offline_access',
      application_type: 'native',
      token_endpoint_auth_method: 'none',
      grant_types: ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'],
      response_types: [],
      redirect_uris: [],
    })
    const expected = `Basic ${btoa('registered:its+secret')}`
    expect(server.to('/token').map((one) => one.authorization)).toEqual([expected, expected])
    expect(server.to('/token').at(-1)?.form.get('grant_type')).toBe('refresh_token')
  })

  test('as a public one, where the server gives a secret of no use', async () => {
    const { server, auth, time } = await withRegistration()
    server.replies['/register'] = [
      201,
      { client_id: 'registered', client_secret: 'x', token_endpoint_auth_method: 'none' },
    ]
    await time.run(auth.getToken())
    const { form, authorization } = server.first('/token')
    expect([form.get('client_id'), authorization]).toEqual(['registered', undefined])
  })

  test('anew where the server has forgotten it, and the user is asked', async () => {
    const { server, auth, time, shown } = await withRegistration()
    server.replies['/register'] = [201, { client_id: 'registered' }]
    await time.run(auth.getToken())
    await time.advance(600_000)
    server.replies['/register'] = [201, { client_id: 'the second' }]
    server.replies['/token'] = ({ form }) =>
      form.get('client_id') === 'the second'
        ? token('another-token')
        : [401, { error: 'invalid_client' }]
    expect(await time.run(auth.getToken())).toBe('another-token')
    expect(shown).toHaveLength(2)
  })

  test.for([
    ['refuses', [400, { error: 'invalid_client_metadata' }], 'invalid_client_metadata'],
    ['wants a token for', [401, {}], 'an unknown error'],
    ['gives no identifier to', [201, {}], 'no client_id'],
  ] as const)('or the error says that the server %s it', async ([, reply, what]) => {
    const { server, auth, time, shown } = await withRegistration()
    server.replies['/register'] = reply
    const thrown = await time.run(failure(auth))
    expect(thrown).toEqual(failed)
    expect(String(thrown)).toContain(what)
    expect(String(thrown)).toContain('give clientId')
    expect(shown).toEqual([])
  })

  test('or the error says that the server registers none', async () => {
    const { session, time } = await setUp()
    const thrown = await time.run(failure(session({ clientId: undefined })))
    expect(thrown).toEqual(failed)
    expect(String(thrown)).toContain('give clientId')
  })
})

describe('without an issuer, the metadata of the resource tell it', () => {
  const ofResource = async (path: string, at: string, change: object = {}) => {
    const resources = await scriptedServer({ [discovery]: [404, {}] })
    const found = await setUp()
    const resource = resources.issuer + path
    resources.replies[at] = {
      resource,
      authorization_servers: [found.server.issuer],
      ...change,
    }
    const auth = found.session({ issuer: undefined, resource })
    return { ...found, resources, resource, auth }
  }

  test('below its own path', async () => {
    const at = '/.well-known/oauth-protected-resource/mcp'
    const { auth, time, server, resource } = await ofResource('/mcp', at)
    expect(await time.run(auth.getToken())).toBe('a-token')
    expect(server.to('/device')[0]?.form.get('resource')).toBe(resource)
    expect(server.to('/token')[0]?.form.get('resource')).toBe(resource)
  })

  test('or at its origin, whose own name for it is asked for', async () => {
    const at = '/.well-known/oauth-protected-resource'
    const { auth, time, server, resources } = await ofResource('/mcp', at, {})
    const named = resources.issuer
    resources.replies[at] = { resource: named, authorization_servers: [server.issuer] }
    await time.run(auth.getToken())
    await time.advance(600_000)
    await time.run(auth.getToken())
    expect(server.to('/token').map(({ form }) => form.get('resource'))).toEqual([named, named])
  })

  test('and no other issuer ever gets its refresh token', async () => {
    const at = '/.well-known/oauth-protected-resource/mcp'
    const { auth, time, server, resources, resource } = await ofResource('/mcp', at)
    const other = await scriptedServer()
    await time.run(auth.getToken())
    resources.replies[at] = { resource, authorization_servers: [other.issuer] }
    await time.advance(600_000)
    await time.run(auth.getToken())
    expect(server.to('/token').at(-1)?.form.get('refresh_token')).toBe('a-refresh-token')
    expect(other.arrived).toEqual([])
  })

  test.for([
    ['are those of another origin', { resource: 'https://attacker.example/mcp' }],
    ['are those of another path', { resource: 'ORIGIN/mc' }],
    ['have no name', { resource: undefined }],
    ['name no server', { authorization_servers: [] }],
    ['name a server without https', { authorization_servers: ['http://a.example'] }],
  ] as const)('or the error says that they %s', async ([, change]) => {
    const at = '/.well-known/oauth-protected-resource/mcp'
    const { auth, time, resources, shown } = await ofResource('/mcp', at)
    const json = JSON.stringify({ ...Object(resources.replies[at]), ...change })
    resources.replies[at] = JSON.parse(json.replace('ORIGIN', resources.issuer))
    const thrown = await time.run(failure(auth))
    expect(thrown).toEqual(withCode('ERR_AUTH_LOGIN_FAILED'))
    expect(String(thrown)).toContain('give issuer')
    expect(shown).toEqual([])
  })

  test('and is its own issuer where it has none', async () => {
    const { server, session, time } = await setUp()
    const auth = session({ issuer: undefined, resource: `${server.issuer}/mcp` })
    expect(await time.run(auth.getToken())).toBe('a-token')
  })
})

test('no secret stands in an error, an event or an inspection', async () => {
  const { server, session, time, events } = await setUp()
  const auth = session()
  await time.run(auth.getToken())
  await time.advance(600_000)
  const words = 'a-refresh-token was sent'
  server.replies['/token'] = [403, { error: 'temporary', error_description: words }]
  const thrown = await time.run(failure(auth))
  const shown = JSON.stringify([
    events,
    auth.inspect(),
    String(thrown),
    Object.entries(Object(thrown)),
  ])
  expect(thrown).toMatchObject({ code: 'ERR_AUTH_LOGIN_REFUSED', status: 403 })
  expect(shown).not.toMatch(/a-token|a-refresh-token|secret device code/)
})

describe('an option that is wrong is a TypeError', () => {
  const issuer = 'https://login.example.com'
  const show = (): void => {}
  test.for([
    ['show', { issuer }, 'show must be a function'],
    [
      'issuer',
      { show, issuer: 'http://login.example.com' },
      'issuer must be set to a URL with https://',
    ],
    ['resource', { show, resource: 'urn:x' }, 'resource must be a URL with https://'],
    ['secret', { show, issuer, clientSecret: 'x' }, 'clientId must be given'],
    ['time', { show, issuer, timeoutMs: 0 }, 'timeoutMs must be a positive'],
    ['signal', { show, issuer, signal: {} }, 'signal must be an AbortSignal'],
    ['wait', { show, issuer, onWait: 1 }, 'onWait must be a function'],
    ['name', { show, issuer, clientName: '' }, 'clientName must be'],
    ['endpoint', { show, issuer, deviceAuthorizationEndpoint: 'http://a.example' }, 'https://'],
    [
      'endpoints',
      { show, issuer, deviceAuthorizationEndpoint: `${issuer}/device` },
      'must be given with issuer and tokenEndpoint',
    ],
    ['typo', { show, issuer, client_id: 'x' }, 'did you mean clientId?'],
  ] as const)('of deviceCode: %s', ([, options, message]) => {
    expect(() => deviceCode(options as never)).toThrow(message)
    expect(() => deviceCode(options as never)).toThrow('[@svc/auth-token] deviceCode: ')
  })

  test.for([
    ['https://127.0.0.1/callback'],
    ['http://attacker.example/callback'],
    ['http://127.0.0.2/callback'],
    ['http://127.0.0.1/callback?x=1'],
    ['callback'],
  ])('of loopback: %s as redirectUri', ([redirectUri]) => {
    const options = { issuer, open: show, redirectUri }
    expect(() => loopback(options)).toThrow('redirectUri must be')
  })

  test('of loopback: port 80 in redirectUri, which a URL does not keep', () => {
    const make = (redirectUri: string) => () => loopback({ issuer, open: show, redirectUri })
    for (const host of ['127.0.0.1', 'localhost', '[::1]']) {
      expect(make(`http://${host}:80/callback`)).toThrow(
        'redirectUri must have another port than 80',
      )
      expect(make(`http://${host}:8080/callback:80`)).not.toThrow()
    }
  })

  test('of refreshToken: nothing that tells who signs in', () => {
    const message = '[@svc/auth-token] refreshToken: issuer or resource must be given'
    expect(() => refreshToken(deviceCode({ show }))).toThrow(message)
    expect(() => refreshToken(loopback({ open: show }))).toThrow(message)
  })

  test('of createSessionAuth: no store, or one that others may read without sealedWith', () => {
    const baseUrl = 'https://api.example.com'
    const signIn = { issuer, clientId: 'app', show }
    const make = (store?: ReturnType<typeof memoryTokenStore>, more: object = {}) =>
      createSessionAuth({ baseUrl, ...refreshToken(deviceCode({ ...signIn, ...more })), store })
    expect(() => make()).toThrow('store must be given')
    const own = sharedTokenStore(memoryTokenStore())
    expect(() => make(own)).toThrow('sealedWith must be given')
    expect(make(own, { sealedWith: 'a secret' }).name).toBe('session')
    expect(make(memoryTokenStore()).name).toBe('session')
  })
})
