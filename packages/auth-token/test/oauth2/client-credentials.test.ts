import { inspect } from 'node:util'
import { AuthError, type AuthEvent } from '@svc/auth-hooks'
import { clientCredentials, type OAuth2ClientOptions, refreshToken } from '@svc/auth-token/oauth2'
import type { Fetch } from '@svc/types'
import { afterEach, describe, expect, test } from 'vitest'
import { authFetch, createSessionAuth, forgetSessions } from '@svc/auth-token'
import { authorizationServer, reports, secrets } from './support/authorization-server.ts'

afterEach(forgetSessions)

type Server = Awaited<ReturnType<typeof authorizationServer>>
type Client = Partial<OAuth2ClientOptions>

/** A scheme as a request handler makes it: all of it anew. */
function session(server: Server, { fetch, ...options }: Client & { fetch?: Fetch } = {}) {
  const { issuer, baseUrl } = server
  const client = { issuer, clientId: 'basic', clientSecret: secrets.basic, resource: reports }
  return createSessionAuth({ baseUrl, fetch, ...clientCredentials({ ...client, ...options }) })
}

function failure(auth: { getToken: () => Promise<string> }): Promise<unknown> {
  return auth.getToken().then(
    () => undefined,
    (error: unknown) => error,
  )
}

const generateKeys = () =>
  crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign', 'verify'])

/** The seconds at which a JWT was issued. */
function issuedAt(jwt: string | null): number {
  const [, payload = ''] = (jwt ?? '').split('.')
  // The library wrote it.
  return (JSON.parse(Buffer.from(payload, 'base64url').toString()) as { iat: number }).iat
}

describe('a client logs in', () => {
  test.each(['basic', 'post'] as const)('with a secret that is sent by %s', async (way) => {
    const server = await authorizationServer()
    const auth = session(server, {
      clientId: way,
      clientSecret: secrets[way],
      clientAuthentication: way,
      scope: 'read',
    })
    const send = authFetch(auth, { baseUrl: server.baseUrl })
    const responses = await Promise.all(Array.from({ length: 50 }, () => send('/')))
    const about = { clientId: way, scope: 'read', aud: reports }
    expect(await responses[0]?.json()).toMatchObject(about)
    expect(responses.every(({ status }) => status === 200)).toBe(true)
    expect(server.tokenRequests).toHaveLength(1)
    const [request] = server.tokenRequests
    expect(request?.form.has('client_secret')).toBe(way === 'post')
    expect(request?.authorization.startsWith('Basic ')).toBe(way === 'basic')
  })

  test.each(['the key', undefined])('with a private key, kid %s', async (kid) => {
    const { privateKey, publicKey } = await generateKeys()
    const server = await authorizationServer({ publicKey })
    const auth = session(server, {
      clientId: 'keyed',
      clientSecret: undefined,
      privateKey: kid ? { key: privateKey, kid } : privateKey,
    })
    expect((await authFetch(auth)(server.baseUrl)).status).toBe(200)
    expect(server.tokenRequests[0]?.form.get('client_assertion')).toMatch(/^eyJ/)
  })

  test('again where its token was revoked, and replays the request', async () => {
    const server = await authorizationServer()
    const auth = session(server, {
      clientId: 'post',
      clientSecret: secrets.post,
      clientAuthentication: 'post',
    })
    await server.revoke(await auth.getToken(), 'post', secrets.post)
    const response = await authFetch(auth)(server.baseUrl, { method: 'POST', body: 'x' })
    expect(response.status).toBe(200)
    expect(server.tokenRequests).toHaveLength(2)
  })

  test.each([
    ['by OpenID', [], ['/.well-known/openid-configuration', '/token']],
    [
      'by RFC 8414',
      ['/.well-known/openid-configuration'],
      ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server', '/token'],
    ],
  ])('at the endpoint that is discovered %s, once', async (_, hidden, paths) => {
    const server = await authorizationServer()
    server.world.hidden = hidden
    const auth = session(server)
    await auth.getToken()
    await auth.invalidate()
    await auth.getToken()
    expect(server.paths).toEqual([...paths, '/token'])
  })

  test('at a given endpoint without metadata', async () => {
    const server = await authorizationServer()
    const { privateKey, publicKey } = await generateKeys()
    const keyed = await authorizationServer({ publicKey })
    await session(server, { tokenEndpoint: `${server.issuer}/token` }).getToken()
    await session(keyed, {
      tokenEndpoint: new URL(`${keyed.issuer}/token`),
      // Its assertions are for the issuer as it calls itself, without a slash.
      issuer: new URL(keyed.issuer),
      clientId: 'keyed',
      clientSecret: undefined,
      privateKey,
    }).getToken()
    expect([server.paths, keyed.paths]).toEqual([['/token'], ['/token']])
  })

  test('at another endpoint, once the one that was discovered is gone', async () => {
    const server = await authorizationServer()
    let isMoved = false
    const fetchIt: Fetch = async (input, init) => {
      const { url } = new Request(input)
      if (url.endsWith('/moved')) return fetch(`${server.issuer}/token`, init)
      if (isMoved && url.endsWith('/token')) return new Response('', { status: 404 })
      const response = await fetch(input, init)
      if (!isMoved || !url.includes('.well-known')) return response
      const metadata: unknown = await response.json()
      return Response.json({ ...Object(metadata), token_endpoint: `${server.issuer}/moved` })
    }
    const auth = session(server, { fetch: fetchIt })
    await auth.getToken()
    isMoved = true
    await auth.invalidate()
    expect(await failure(auth)).toMatchObject({ status: 404 })
    await auth.invalidate()
    await auth.getToken()
  })

  test.each([-7, 7])('with a private key where its clock is %i minutes off', async (minutes) => {
    const { privateKey, publicKey } = await generateKeys()
    // The provider takes any time, and the front only its own.
    const server = await authorizationServer({ publicKey, clockTolerance: 3600 })
    server.world.skewMs = minutes * 60_000
    server.world.intercept = ({ form, response }) => {
      const serverTime = Date.now() / 1000 + minutes * 60
      if (Math.abs(issuedAt(form.get('client_assertion')) - serverTime) < 30) return undefined
      response.writeHead(401, { 'content-type': 'application/json' })
      response.end('{"error":"invalid_client"}')
      return Promise.resolve()
    }
    const options = { clientId: 'keyed', clientSecret: undefined, privateKey }
    await session(server, options).getToken()
    // The metadata told the time.
    expect(server.tokenRequests).toHaveLength(1)
    const auth = session(server, { ...options, tokenEndpoint: `${server.issuer}/token` })
    await auth.getToken()
    expect(server.tokenRequests).toHaveLength(3)
    await auth.invalidate()
    await auth.getToken()
    expect(server.tokenRequests).toHaveLength(4)
  })
})

describe('schemes that are made anew for each request', () => {
  test('share a session where the options are the same, and only there', async () => {
    const server = await authorizationServer()
    await Promise.all(Array.from({ length: 20 }, () => session(server).getToken()))
    expect(server.tokenRequests).toHaveLength(1)
    await session(server, { scope: 'read' }).getToken()
    expect(server.tokenRequests).toHaveLength(2)
    const wrong = session(server, { clientSecret: 'a wrong one' })
    expect(await failure(wrong)).toMatchObject({ code: 'ERR_AUTH_LOGIN_REFUSED', status: 401 })
    await session(server).getToken()
    expect(server.tokenRequests).toHaveLength(3)
  })

  test('share one for a private key, by the key object or by what they are sealed with', async () => {
    const { privateKey, publicKey } = await generateKeys()
    const { privateKey: other } = await generateKeys()
    const server = await authorizationServer({ publicKey })
    const keyed = (own: Client) =>
      session(server, { clientId: 'keyed', clientSecret: undefined, ...own })
    await keyed({ privateKey }).getToken()
    await keyed({ privateKey }).getToken()
    expect(server.tokenRequests).toHaveLength(1)
    expect(await failure(keyed({ privateKey: other }))).toMatchObject({ status: 401 })
    await keyed({ privateKey, sealedWith: 'x' }).getToken()
    await keyed({ privateKey, sealedWith: 'x' }).getToken()
    expect(server.tokenRequests).toHaveLength(3)
  })

  test('of one refresh token share one, but not with another secret of the client', async () => {
    const server = await authorizationServer({ rotates: false })
    const grant = { issuer: server.issuer, clientId: 'app', refreshToken: await server.signIn() }
    const make = (clientSecret?: string) =>
      createSessionAuth({
        baseUrl: server.baseUrl,
        ...refreshToken({ ...grant, rotation: 'none', clientSecret }),
      })
    await make().getToken()
    await make().getToken()
    expect(server.tokenRequests).toHaveLength(1)
    await failure(make('a secret that the client does not have'))
    expect(server.tokenRequests).toHaveLength(2)
  })

  test('are told apart although arrays become some other JSON, as with old libraries', () => {
    const issuer = 'https://login.example.com'
    const keyFor = (clientSecret: string): string => {
      const { credentials, keyOf } = clientCredentials({ issuer, clientId: 'app', clientSecret })
      return keyOf(credentials)
    }
    Reflect.set(Array.prototype, 'toJSON', () => '[]')
    const keys = ['one', 'other'].map(keyFor)
    Reflect.deleteProperty(Array.prototype, 'toJSON')
    expect(new Set(keys).size).toBe(2)
  })
})

describe('a server that is not as it must be', () => {
  const token = 'AT-SECRET-0123456789'
  const good = { access_token: token, token_type: 'Bearer', expires_in: 600 }
  const { issuer } = { issuer: 'https://login.example.com' }
  const metadata = { issuer, token_endpoint: `${issuer}/token` }

  /** A scheme whose requests for metadata and token get these responses. */
  const withResponses = (
    respond: () => Response,
    described: () => Response = () => json(metadata),
  ) => {
    const events: AuthEvent[] = []
    const auth = createSessionAuth({
      baseUrl: 'https://api.example.com',
      ...clientCredentials({ issuer, clientId: 'c', clientSecret: 'CLIENT-SECRET-98765' }),
      onEvent: (event) => events.push(event),
      clock: () => 1_800_000_000_000,
      fetch: async (input) =>
        new Request(input).url.includes('.well-known') ? described() : respond(),
    })
    return { auth, events }
  }
  const json = (body: unknown, init?: ResponseInit): Response => Response.json(body, init)

  test.each<[string, unknown, string, string]>([
    ['no access_token', { ...good, access_token: undefined }, 'ERR_AUTH_LOGIN_NO_TOKEN', ''],
    [
      'a token with line breaks',
      { ...good, access_token: 'a\r\nb' },
      'ERR_AUTH_LOGIN_BAD_TOKEN',
      '',
    ],
    [
      'a token of another type',
      { ...good, token_type: 'mac' },
      'ERR_AUTH_LOGIN_FAILED',
      'not Bearer',
    ],
    ['a token of DPoP', { ...good, token_type: 'DPoP' }, 'ERR_AUTH_LOGIN_FAILED', 'not Bearer'],
    ['a token without a type', { access_token: token }, 'ERR_AUTH_LOGIN_FAILED', 'missing'],
    ['a text', 'AT-SECRET-0123456789', 'ERR_AUTH_LOGIN_FAILED', 'not JSON'],
    ['nothing', null, 'ERR_AUTH_LOGIN_FAILED', 'not JSON'],
  ])('gives %s', async (_, body, code, message) => {
    const { auth, events } = withResponses(() => json(body))
    const error = await failure(auth)
    expect(error).toMatchObject({ code, message: expect.stringContaining(message) })
    const shown = inspect([error, events, auth, auth.inspect()], { depth: 20, showHidden: true })
    expect(shown).not.toMatch(/AT-SECRET|CLIENT-SECRET/)
  })

  test.each<[string, () => Response, object]>([
    [
      'a page of HTML',
      () => new Response(`<html>${token}</html>`),
      { code: 'ERR_AUTH_LOGIN_FAILED', message: expect.stringContaining('is not JSON') },
    ],
    [
      'a redirect',
      () => Response.redirect(`https://elsewhere.example.com/?${token}`),
      { code: 'ERR_AUTH_LOGIN_REDIRECT', status: 302 },
    ],
    [
      'a refusal as a page of HTML',
      () =>
        new Response('<html><title>too many</title></html>', {
          status: 429,
          headers: { 'retry-after': '9' },
        }),
      {
        code: 'ERR_AUTH_LOGIN_REFUSED',
        status: 429,
        retryAt: 1_800_000_009_000,
      },
    ],
    [
      'a refusal with a challenge',
      () =>
        json(
          { error: 'invalid_client' },
          { status: 401, headers: { 'www-authenticate': 'Basic realm="x"' } },
        ),
      { code: 'ERR_AUTH_LOGIN_REFUSED', status: 401, serverMessage: 'invalid_client' },
    ],
    [
      'a refusal that quotes the secret',
      () => json({ error: 'no CLIENT-SECRET-98765' }, { status: 400 }),
      { code: 'ERR_AUTH_LOGIN_REFUSED', status: 400 },
    ],
    [
      'a 503',
      () => new Response('', { status: 503 }),
      { code: 'ERR_AUTH_LOGIN_REFUSED', status: 503 },
    ],
  ])('responds with %s', async (_, respond, expected) => {
    const { auth, events } = withResponses(respond)
    const error = await failure(auth)
    expect(error).toMatchObject(expected)
    const shown = inspect([error, events], { depth: 20, showHidden: true })
    expect(shown).not.toMatch(/AT-SECRET|CLIENT-SECRET/)
  })

  test.each<[string, unknown, number]>([
    ['as a text', '600', 600],
    ['of 0', 0, 60],
    ['that is huge', 1e300, 3650 * 86_400],
    ['that is negative', -600, 3650 * 86_400],
    ['that is rubbish', 'soon', 3650 * 86_400],
    ['that is null', null, 3650 * 86_400],
  ])('gives an expires_in %s', async (_, lifetime, seconds) => {
    const { auth } = withResponses(() => json({ ...good, expires_in: lifetime }))
    await auth.getToken()
    expect(auth.inspect().expiresAt).toBe(1_800_000_000_000 + seconds * 1000)
  })

  test.each<[string, () => Response, object]>([
    [
      'of another issuer',
      () => json({ ...metadata, issuer: 'https://evil.example.com' }),
      {
        code: 'ERR_AUTH_LOGIN_FAILED',
        message: expect.stringMatching(/issuer.*: it is https:\/\/evil.example.com\/, not http/),
      },
    ],
    ['that are a page', () => new Response('<html></html>'), { code: 'ERR_AUTH_LOGIN_FAILED' }],
    [
      'that redirect',
      () => Response.redirect('https://evil.example.com/'),
      { code: 'ERR_AUTH_LOGIN_REDIRECT' },
    ],
    [
      'that are not there',
      () => new Response('', { status: 404 }),
      {
        code: 'ERR_AUTH_LOGIN_FAILED',
        status: 404,
        message: expect.stringMatching(
          /\/\.well-known\/openid-configuration returned status 404; check issuer, or give tokenEndpoint/,
        ),
      },
    ],
    [
      'without an endpoint',
      () => json({ issuer }),
      { code: 'ERR_AUTH_LOGIN_FAILED', message: expect.stringContaining('token_endpoint') },
    ],
    [
      'with an endpoint over http',
      () => json({ ...metadata, token_endpoint: 'http://login.example.com/token' }),
      { code: 'ERR_AUTH_URL' },
    ],
    [
      'with an endpoint that is no URL',
      () => json({ ...metadata, token_endpoint: 'token' }),
      { code: 'ERR_AUTH_LOGIN_FAILED' },
    ],
  ])('has metadata %s', async (_, described, expected) => {
    const { auth } = withResponses(() => {
      throw new Error('the secret was sent')
    }, described)
    const error = await failure(auth)
    expect(AuthError.is(error)).toBe(true)
    expect(error).toMatchObject(expected)
  })
})

test('a login shows none of its secrets', async () => {
  const { privateKey } = await generateKeys()
  const about = { issuer: 'https://login.example.com', clientId: 'c' }
  const logins = [
    clientCredentials({ ...about, clientSecret: 'SECRET-1' }),
    clientCredentials({ ...about, privateKey, sealedWith: 'SECRET-2' }),
    refreshToken({ ...about, refreshToken: 'SECRET-3', clientSecret: 'SECRET-4' }),
  ]
  const shown = inspect(logins, { depth: 20, showHidden: true }) + JSON.stringify(logins)
  expect(shown).not.toContain('SECRET')
})

test.each<[string, Record<string, unknown>]>([
  ['issuer must be set to a URL', { issuer: 'login' }],
  ['issuer must be set to a URL with https://', { issuer: 'localhost:4001' }],
  [
    'issuer must be without /.well-known/',
    { issuer: 'https://login.example.com/.well-known/openid-configuration' },
  ],
  ['issuer must be set to a URL with https://', { issuer: 'http://login.example.com' }],
  ['tokenEndpoint must be set to a URL', { tokenEndpoint: '/token' }],
  [
    'tokenEndpoint must be set to a URL with https://',
    { tokenEndpoint: 'http://login.example.com/token' },
  ],
  ['clientId must be a non-empty string', { clientId: '' }],
  ['clientSecret must be a non-empty string', { clientSecret: '' }],
  ['clientSecret or privateKey must be given', { clientSecret: undefined }],
  ["clientAuthentication must be 'basic' or 'post'", { clientAuthentication: 'header' }],
  ['privateKey must be a private CryptoKey', { clientSecret: undefined, privateKey: 'pem' }],
  ['privateKey must be a private CryptoKey', { clientSecret: undefined, privateKey: null }],
  ['scope must be a non-empty string', { scope: ['read'] }],
  ['did you mean scope', { scopes: 'read' }],
  ['did you mean clientSecret', { client_secret: 'x', clientSecret: undefined }],
])('%s, or the options are a TypeError', (message, wrong) => {
  const right = { issuer: 'https://login.example.com', clientId: 'c', clientSecret: 's' }
  const make = () => clientCredentials({ ...right, ...wrong })
  expect(make).toThrow(TypeError)
  expect(make).toThrow('[@svc/auth-token] clientCredentials: ')
  expect(make).toThrow(message)
})

test.each<[string, Record<string, unknown>]>([
  ['refreshToken must be a non-empty string', { refreshToken: '' }],
  ["rotation must be 'rotating' or 'none'", { rotation: true }],
  ['reuseGraceMs must be a non-negative number', { reuseGraceMs: -1 }],
  ['did you mean refreshToken', { refresh_token: 'x', refreshToken: undefined }],
])('%s, or the options of a refresh token are a TypeError', (message, wrong) => {
  const right = { issuer: 'https://login.example.com', clientId: 'c', refreshToken: 'r' }
  const make = () => refreshToken({ ...right, ...wrong })
  expect(make).toThrow(TypeError)
  expect(make).toThrow('[@svc/auth-token] refreshToken: ')
  expect(make).toThrow(message)
})
