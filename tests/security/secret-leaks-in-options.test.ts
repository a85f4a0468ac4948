import { authFetch, authKy, type AuthFetchOptions, kyAuthHooks, Secret } from '@svc/auth-hooks'
import { authAxios, type AuthAxiosOptions } from '@svc/auth-hooks/axios'
import { authGot, type AuthGotOptions } from '@svc/auth-hooks/got'
import { authOpenApi } from '@svc/auth-hooks/openapi-fetch'
import { authInterceptor, type AuthInterceptorOptions } from '@svc/auth-hooks/undici'
import { createDigestAuth, type DigestAuthOptions } from '@svc/auth-digest'
import { createSigV4Auth, type SigV4AuthOptions } from '@svc/auth-sigv4'
import { type AwsAuthOptions, createAwsAuth } from '@svc/auth-sigv4/aws'
import { awsCredentials, type AwsCredentialsOptions } from '@svc/auth-sigv4/credentials'
import { nativeEngine } from '@svc/auth-sigv4/native'
import { streaming } from '@svc/auth-sigv4/streaming'
import { webCryptoEngine } from '@svc/auth-sigv4/webcrypto'
import {
  createSessionAuth,
  createTokenAuth,
  type SessionAuthOptions,
  type TokenAuthOptions,
} from '@svc/auth-token'
import { dpop, type DpopOptions } from '@svc/auth-token/dpop'
import { fileTokenStore } from '@svc/auth-token/file-store'
import { authMcp, type McpAuthOptions } from '@svc/auth-token/mcp'
import {
  clientCredentials,
  type OAuth2ClientOptions,
  refreshToken,
  type RefreshTokenOptions,
} from '@svc/auth-token/oauth2'
import { redisTokenStore } from '@svc/auth-token/redis-store'
import {
  deviceCode,
  type DeviceCodeOptions,
  loopback,
  type LoopbackOptions,
  type SignInOptions,
} from '@svc/auth-token/sign-in'
import {
  createRouteAuthSelector,
  createServiceRoutes,
  type RouteAuthSelectorOptions,
  type ServiceRoutesOptions,
} from '@svc/route-auth-selector'
import { createServiceAuth, type ServiceAuthOptions } from '@svc/service-auth'
import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { responseText, serveRaw } from './raw-server.ts'
import { apiKeyAuth, serviceAuth, sigV4Auth, tokenAuth } from './schemes.ts'
import { expectNoSecret, leaksIn, makeJwt, secrets } from './secrets.ts'

const baseUrl = 'https://search.example.com'
const secret = secrets.apiKeyHeader
const scheme = apiKeyAuth(baseUrl)
// A secret that strayed into another option, in a text, in an object and in a list.
const stray = { [secret]: secret, list: [secret] }

test('the sweep finds a secret however it is encoded, and wherever it stands', () => {
  const bytes = Buffer.from(`user:${secrets.password}`)
  for (const text of [
    bytes.toString('base64'),
    bytes.toString('base64url'),
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
    encodeURIComponent(String(bytes)),
    JSON.stringify(String(bytes)),
    bytes.toString('hex').replace(/../g, '%$&'),
    encodeURIComponent(encodeURIComponent(String(bytes))),
    new URLSearchParams({ user: String(bytes) }).toString(),
    JSON.stringify({ body: JSON.stringify({ user: String(bytes) }) }),
    JSON.stringify(bytes),
    inspect(bytes),
    String(bytes).replaceAll('"', '&quot;'),
    Buffer.from(String(bytes), 'utf16le').toString('latin1'),
    Buffer.from(String(bytes), 'utf16le').swap16().toString('latin1'),
  ]) {
    expect(leaksIn({ text })).not.toEqual([])
    expect(leaksIn(new Error('outer', { cause: new Error(text) }))).not.toEqual([])
    expect(leaksIn(Object.defineProperty({}, Symbol('hidden'), { value: text }))).not.toEqual([])
  }
  expect(leaksIn(new Map([['key', bytes]]))).not.toEqual([])
  const copy = new Uint8Array(bytes).buffer
  // Deeper than printing goes.
  for (const value of [
    copy,
    new DataView(copy),
    new URL(`https://h/?${secret}`),
    { [Symbol(secret)]: 1 },
  ]) {
    const deep = Array.from({ length: 12 }).reduce<unknown>((inner) => ({ inner }), value)
    expect(leaksIn(deep)).not.toEqual([])
  }
  expect(leaksIn({ toString: () => secret })).not.toEqual([])
  expect(leaksIn({ text: 'nothing' })).toEqual([])
})

/** Wrong values for each option, each with a secret in it; the types say that none is left out. */
type WrongValues<Options> = { readonly [Name in keyof Required<Options>]: readonly unknown[] }

const wrongTokenOptions: WrongValues<TokenAuthOptions> = {
  baseUrl: [secret, stray, `https://user:${secret}@h`, `${baseUrl}/?key=${secret}`],
  origins: [secret, [secret], [`${baseUrl}/${secret}`], [stray]],
  credentials: [
    secret,
    { username: secret },
    { username: '', password: secret },
    { username: 'reader', password: stray },
    { username: 'reader', password: secret, parentUid: 5 },
  ],
  uniqueSession: [secret, stray],
  session: [secret, stray],
  idleMs: [secret, stray],
  store: [secret, stray],
  vendorPrefix: [`${secret}\r\n`, stray],
  renewBeforeMs: [secret, stray],
  loginTimeoutMs: [secret, stray],
  rejectedStatuses: [secret, [secret]],
  allowInsecureHttp: [secret, stray],
  trustRedirects: [secret, stray],
  waitUntil: [secret, stray],
  fetch: [secret, stray],
  clock: [secret, stray],
  random: [secret, stray],
  onEvent: [secret, stray],
}

const { uniqueSession: _unique, vendorPrefix: _prefix, ...wrongAnyOptions } = wrongTokenOptions
const wrongSessionOptions: WrongValues<SessionAuthOptions<object>> = {
  ...wrongAnyOptions,
  name: [`${secret} `, stray],
  credentials: [secret, { key: () => secret }, { key: new Map([[secret, secret]]) }],
  keyOf: [secret, stray],
  login: [secret, stray],
  headers: [secret, stray],
}

const wrongUrls = [secret, stray, `http://login.example.com/${secret}`]
const wrongClientOptions: WrongValues<OAuth2ClientOptions> = {
  issuer: wrongUrls,
  tokenEndpoint: wrongUrls,
  clientId: [stray, ''],
  clientSecret: [stray, ''],
  clientAuthentication: [secret, stray],
  privateKey: [secret, stray, { key: secret, kid: secret }],
  sealedWith: [stray, ''],
  scope: [[secret], stray],
  audience: [[secret], stray],
  resource: [[secret], stray],
  dpop: [secret, stray],
  parameters: [secret, [secret], { claims: [secret] }],
  since: [secret, stray],
}

const wrongRefreshOptions: WrongValues<RefreshTokenOptions> = {
  ...wrongClientOptions,
  refreshToken: [stray, ''],
  rotation: [secret, stray],
  reuseGraceMs: [secret, stray],
}

const wrongDpopOptions: WrongValues<DpopOptions> = {
  keyPair: [secret, stray, { privateKey: secret, publicKey: secret }],
  allowBearer: [secret, stray],
}

const wrongDigestOptions: WrongValues<DigestAuthOptions> = {
  baseUrl: wrongTokenOptions.baseUrl,
  credentials: [
    secret,
    { password: secret },
    { username: `${secret}\n`, password: secret },
    { username: 'reader', password: stray },
    { username: 'reader', secret },
  ],
  allowMd5: [secret, stray],
  hashes: [secret, stray],
  challengeTimeoutMs: [secret, stray],
  createCnonce: [secret, stray],
  clock: [secret, stray],
  onEvent: [secret, stray],
}

const wrongSignInOptions: WrongValues<SignInOptions> = {
  ...wrongClientOptions,
  clientName: [stray, ''],
  account: [stray],
  timeoutMs: [secret, stray],
  signal: [secret, stray],
  onWait: [secret, stray],
}

const wrongDeviceOptions: WrongValues<DeviceCodeOptions> = {
  ...wrongSignInOptions,
  show: [secret, stray],
  deviceAuthorizationEndpoint: [secret, stray, `http://h/${secret}`],
}

const wrongLoopbackOptions: WrongValues<LoopbackOptions> = {
  ...wrongSignInOptions,
  open: [secret, stray],
  redirectUri: [secret, stray, `http://127.0.0.1/?${secret}`],
  prompt: [stray],
  authorizationEndpoint: [secret, stray, `http://h/${secret}`],
}

const {
  allowInsecureHttp: _http,
  credentials: _credentials,
  headers: _headers,
  keyOf: _keyOf,
  login: _login,
  name: _schemeName,
  origins: _origins,
  rejectedStatuses: _statuses,
  baseUrl: wrongUrlsOfServers,
  ...wrongMcpSessionOptions
} = wrongSessionOptions
const wrongMcpOptions: WrongValues<McpAuthOptions> = {
  ...wrongMcpSessionOptions,
  url: wrongUrlsOfServers.filter((url) => !String(url).includes('?')),
  signIn: [secret, stray, { refreshToken: secret }, { login: secret }],
}

const wrongSigV4Options: WrongValues<SigV4AuthOptions> = {
  baseUrl: wrongTokenOptions.baseUrl,
  origins: wrongTokenOptions.origins,
  region: [`${secret} `, stray],
  service: [`${secret} `, stray],
  credentials: [
    secret,
    { accessKeyId: secret },
    { accessKeyId: `${secret} `, secretAccessKey: secret },
    { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: `${secret}\n` },
    { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: secret, sessionToken: `${secret}\n` },
    { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: secret, expiresAt: secret },
    { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: secret, expiration: secret },
  ],
  payload: [secret, stray],
  signHeaders: [secret, [`${secret}\n`], [stray]],
  pathEncoding: [secret, stray],
  repeatedParameters: [secret, stray],
  engine: [secret, stray],
  clock: [secret, stray],
  onEvent: [secret, stray],
}

const { baseUrl: _base, service: _service, ...wrongScopeOptions } = wrongSigV4Options
const { pathEncoding: _path, repeatedParameters: _repeated, ...wrongCommon } = wrongScopeOptions
const wrongAwsOptions: WrongValues<AwsAuthOptions> = {
  ...wrongCommon,
  services: [
    secret,
    stray,
    { [baseUrl]: secret },
    { [baseUrl]: { service: `${secret} `, region: 'us-east-1' } },
    { [baseUrl]: { service: 's3', region: stray } },
    { [`${baseUrl}/${secret}`]: { service: 's3', region: 'us-east-1' } },
  ],
}

const wrongCredentialsOptions: WrongValues<AwsCredentialsOptions> = {
  profile: [stray, ''],
  region: wrongSigV4Options.region,
  fetch: [secret, stray],
  clock: [secret, stray],
  signal: [secret, stray],
}

const wrongSelectorOptions: WrongValues<RouteAuthSelectorOptions> = {
  origins: wrongTokenOptions.origins,
  basePath: [secret, stray, `/?${secret}`],
  routes: [
    secret,
    [secret],
    [{ path: `?${secret}`, use: scheme }],
    [{ prefix: `/${secret}`, use: stray }],
    [{ prefix: `/${secret}`, caseSensitive: secret, use: scheme }],
    [{ path: `/${secret}`, method: stray, use: scheme }],
  ],
  otherwise: [secret, stray],
  onEvent: [secret, stray],
}

const wrongServiceAuthOptions: WrongValues<ServiceAuthOptions> = {
  baseUrl: wrongTokenOptions.baseUrl,
  region: wrongSigV4Options.region,
  user: wrongTokenOptions.credentials,
  apiKey: wrongSigV4Options.credentials,
  session: [secret, stray],
  store: wrongTokenOptions.store,
  onEvent: [secret, stray],
  tokenOptions: [secret, { credentials: secret }, { loginTimeoutMs: secret }],
  sigv4Options: [secret, { credentials: stray }, { payload: secret }],
}

const wrongServiceOptions: WrongValues<ServiceRoutesOptions> = {
  baseUrl: wrongTokenOptions.baseUrl,
  token: [secret, stray],
  sigv4: [secret, stray],
  onEvent: [secret, stray],
}

const wrongExchangeOptions: WrongValues<AuthGotOptions> = {
  redirect: [secret, stray],
  maxRedirects: [secret, stray],
  sensitiveHeaders: [secret, [stray]],
  onEvent: [secret, stray],
}

const wrongFetchOptions: WrongValues<AuthFetchOptions> = {
  ...wrongExchangeOptions,
  baseUrl: wrongTokenOptions.baseUrl,
  fetch: [secret, stray],
  maxReplayBytes: [secret, stray],
  rebuildRequests: [secret, stray],
  trustRedirects: [secret, stray],
}

const wrongAxiosOptions: WrongValues<AuthAxiosOptions> = {
  ...wrongExchangeOptions,
  adapter: [secret, stray],
  axios: [secret, stray],
  trustRedirects: [secret, stray],
}

const wrongUndiciOptions: WrongValues<AuthInterceptorOptions> = { maxReplayBytes: [secret, stray] }

const credentials = { username: 'reader', password: secret }
const key = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: secret }
// Options that a caller without types may give.
const untyped = (options: object): never => options as never
const factories: readonly [
  name: string,
  make: (wrong: object) => unknown,
  wrong: Readonly<Record<string, readonly unknown[]>>,
][] = [
  [
    'createTokenAuth',
    (wrong) => createTokenAuth({ baseUrl, credentials, ...wrong }),
    { ...wrongTokenOptions },
  ],
  [
    'createSessionAuth',
    (wrong) =>
      createSessionAuth({ baseUrl, credentials, login: () => ({ token: secret }), ...wrong }),
    { ...wrongSessionOptions },
  ],
  ['dpop', (wrong) => dpop(untyped(wrong)), { ...wrongDpopOptions }],
  [
    'clientCredentials',
    (wrong) =>
      clientCredentials({
        issuer: baseUrl,
        clientId: 'c',
        ...('privateKey' in wrong ? {} : { clientSecret: secret }),
        ...wrong,
      }),
    { ...wrongClientOptions },
  ],
  [
    'refreshToken',
    (wrong) => refreshToken({ issuer: baseUrl, clientId: 'c', refreshToken: secret, ...wrong }),
    { ...wrongRefreshOptions },
  ],
  [
    'createDigestAuth',
    (wrong) => createDigestAuth({ baseUrl, credentials, ...wrong }),
    { ...wrongDigestOptions },
  ],
  [
    'deviceCode',
    (wrong) => deviceCode({ issuer: baseUrl, clientId: 'c', show: () => {}, ...wrong }),
    { ...wrongDeviceOptions },
  ],
  [
    'loopback',
    (wrong) => loopback({ issuer: baseUrl, clientId: 'c', open: () => {}, ...wrong }),
    { ...wrongLoopbackOptions },
  ],
  [
    'authMcp',
    (wrong) =>
      authMcp({
        url: baseUrl,
        signIn: () => Promise.reject(new Error(secret)),
        ...wrong,
      }),
    { ...wrongMcpOptions },
  ],
  [
    'createSigV4Auth',
    (wrong) => createSigV4Auth({ baseUrl, region: 'us-east-1', credentials: key, ...wrong }),
    { ...wrongSigV4Options },
  ],
  [
    'createAwsAuth',
    (wrong) => createAwsAuth({ credentials: key, ...wrong }),
    { ...wrongAwsOptions },
  ],
  ['awsCredentials', (wrong) => awsCredentials(wrong), { ...wrongCredentialsOptions }],
  [
    'createRouteAuthSelector',
    (wrong) =>
      createRouteAuthSelector({ origins: [baseUrl], routes: [], otherwise: scheme, ...wrong }),
    { ...wrongSelectorOptions },
  ],
  [
    'createServiceRoutes',
    (wrong) => createServiceRoutes({ baseUrl, token: scheme, sigv4: scheme, ...wrong }),
    { ...wrongServiceOptions },
  ],
  [
    'createServiceAuth',
    (wrong) =>
      createServiceAuth({ baseUrl, region: 'us-east-1', user: credentials, apiKey: key, ...wrong }),
    { ...wrongServiceAuthOptions },
  ],
  ['authFetch', (wrong) => authFetch(scheme, wrong), { ...wrongFetchOptions }],
  ['authKy', (wrong) => authKy(scheme, wrong), { ...wrongFetchOptions }],
  ['authOpenApi', (wrong) => authOpenApi(scheme, wrong), { ...wrongFetchOptions }],
  ['kyAuthHooks', (wrong) => kyAuthHooks(scheme, wrong), { fetch: [secret, stray] }],
  ['authAxios', (wrong) => authAxios(scheme, untyped(wrong)), { ...wrongAxiosOptions }],
  ['authGot', (wrong) => authGot(scheme, wrong), { ...wrongExchangeOptions }],
  ['authInterceptor', (wrong) => authInterceptor(scheme, wrong), { ...wrongUndiciOptions }],
  [
    'redisTokenStore',
    (wrong) => redisTokenStore({ EVAL: async () => '' }, wrong),
    { prefix: [`{${secret}}`, stray] },
  ],
  ['fileTokenStore', (wrong) => fileTokenStore(wrong), { path: [stray], clock: [secret, stray] }],
  [
    'streaming',
    (wrong) => streaming(untyped(wrong)),
    { chunkBytes: [secret, stray], trailer: [secret, stray] },
  ],
]

describe.each(factories)('%s', (_name, make, wrong) => {
  const cases = Object.entries(wrong).flatMap(([option, values]) =>
    values.map((value, index): [string, number, unknown] => [option, index + 1, value]),
  )
  test.each(cases)(
    'a wrong %s (%i) is a TypeError that names it and shows no secret',
    (option, _, value) => {
      let thrown: unknown
      try {
        make({ [option]: value })
      } catch (error) {
        thrown = error
      }
      expect(thrown).toBeInstanceOf(TypeError)
      expect(String(thrown)).toContain(option)
      expectNoSecret(thrown)
    },
  )

  test.each([secret, 'passwrd'])('an option that nobody knows shows no secret: %s', (option) => {
    expect(() => make({ [option]: undefined })).not.toThrow()
    let thrown: unknown
    try {
      make({ [option]: secret })
    } catch (error) {
      thrown = error
    }
    expect(thrown).toBeInstanceOf(TypeError)
    expect(String(thrown)).toContain('is not an option')
    expectNoSecret(thrown)
  })
})

test('what takes a scheme shows nothing of what was given in its place', () => {
  for (const take of [
    authFetch,
    authKy,
    kyAuthHooks,
    authAxios,
    authGot,
    authOpenApi,
    authInterceptor,
  ]) {
    for (const wrong of [secret, stray]) {
      let thrown: unknown
      try {
        take(untyped(Object(wrong)))
      } catch (error) {
        thrown = error
      }
      expect(thrown).toBeInstanceOf(TypeError)
      expectNoSecret(thrown)
    }
  }
})

test('no scheme, session report, engine or adapter shows a secret, before and after it is used', async () => {
  const jwt = makeJwt('options')
  const server = await serveRaw((socket, { path }) => {
    const body = path === '/user/login' ? JSON.stringify({ Token: jwt }) : ''
    socket.write(responseText(200, {}, body))
  })
  const token = tokenAuth(server.origin)
  const schemes = [
    token,
    sigV4Auth(server.origin),
    sigV4Auth(server.origin, { engine: webCryptoEngine(), payload: streaming() }),
    apiKeyAuth(server.origin),
    serviceAuth(server.origin),
    createServiceAuth({
      baseUrl: server.origin,
      region: 'us-east-1',
      user: credentials,
      apiKey: key,
    }),
  ]
  for (const own of schemes) {
    const shown = (): unknown[] => [
      own,
      token.inspect(),
      authFetch(own),
      authKy(own),
      kyAuthHooks(own),
      authAxios(own),
      authGot(own),
      authOpenApi(own),
      authInterceptor(own),
    ]
    expectNoSecret(shown(), [jwt])
    await authFetch(own)(`${server.origin}/user/groups`)
    expectNoSecret(shown(), [jwt])
  }
  expect(server.requests.some(({ head }) => head.includes(jwt))).toBe(true)
  const scope = { date: '20261121', region: 'us-east-1', service: 's3' }
  for (const engine of [nativeEngine(), webCryptoEngine()]) {
    expectNoSecret([engine, await engine.deriveKey(secrets.secretAccessKey, scope)])
  }
})

test('a Secret shows itself to reveal() alone', () => {
  const held = new Secret(secrets.password)
  expect(held.reveal()).toBe(secrets.password)
  expectNoSecret([held, { held }, new Error('failed', { cause: held }), String(held)])
})
