import { createServer, type IncomingMessage } from 'node:http'
import { inspect } from 'node:util'
import { diagnose } from '@svc/auth-sigv4/diagnose'
import { explain } from '@svc/auth-sigv4/explain'
import { presign } from '@svc/auth-sigv4/presign'
import { createSigV4Auth } from '@svc/auth-sigv4'
import { createTokenAuth } from '@svc/auth-token'
import { memoryTokenStore } from '@svc/auth-token/memory-store'
import {
  anonymous,
  createRouteAuthSelector,
  createServiceRoutes,
  type Route,
} from '@svc/route-auth-selector'
import ky from 'ky'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  AuthError,
  type AuthEvent,
  authFetch,
  authKy,
  authorizeRequest,
  createServiceAuth,
  type ServiceAuthOptions,
} from '@svc/service-auth'
import { listenOnLoopback } from '../../../tests/support/loopback.ts'
import { apiKey, service, user } from './support/service.ts'

const environment = 'https://search.example.com'
const region = 'us-east-1'

describe('every request to the service', () => {
  test('gets its own credential: a token below /user, a signature elsewhere', async () => {
    const { auth, baseUrl, emulator, arrived } = await service()
    const serviceFetch = authFetch(auth, { baseUrl })
    const groups = await serviceFetch('/user/groups')
    expect(await groups.json()).toMatchObject([{ id: 'group-0001' }, {}])
    await serviceFetch('V1/reports/a b+c.csv', { method: 'PUT', body: 'a;b' })
    const report = await serviceFetch(new URL('/V1/reports/a b+c.csv', baseUrl))
    expect(await report.text()).toBe('a;b')
    expect(arrived()).toEqual([
      'POST /user/login login ok',
      'GET /user/groups token ok',
      'PUT /V1/reports/a%20b%2Bc.csv sigv4 ok',
      'GET /V1/reports/a%20b%2Bc.csv sigv4 ok',
    ])
    expect(emulator.logins).toBe(1)
  })

  test('does so in ky, and as an authorized Request', async () => {
    const { auth, baseUrl, arrived } = await service()
    const api = ky.create({ prefix: baseUrl }).extend(authKy(auth))
    expect((await api.get('user/groups')).status).toBe(200)
    const request = await authorizeRequest(auth, new URL('/V1/', baseUrl))
    expect((await fetch(request)).status).toBe(200)
    expect(arrived().slice(1)).toEqual(['GET /user/groups token ok', 'GET /V1/ sigv4 ok'])
  })

  test('reads user and key from functions', async () => {
    const asked: string[] = []
    const { auth, baseUrl, arrived } = await service({
      user: async ({ signal }) => {
        asked.push(`user, ${signal.aborted}`)
        return user
      },
      apiKey() {
        asked.push('key')
        return apiKey
      },
    })
    expect(asked).toEqual([])
    const send = authFetch(auth)
    await send(new URL('/user/groups', baseUrl))
    await send(new URL('/V1/', baseUrl))
    expect(asked).toEqual(['user, false', 'key'])
    expect(arrived().every((line) => line.endsWith(' ok'))).toBe(true)
  })

  test('is reported to one observer', async () => {
    const events: AuthEvent[] = []
    const { auth, baseUrl } = await service({ onEvent: (event) => events.push(event) })
    const send = authFetch(auth)
    await send(new URL('/user/groups', baseUrl))
    await send(new URL('/V1/', baseUrl))
    expect(events.map(({ type, scheme }) => [type, scheme])).toEqual([
      ['route.chosen', 'token'],
      ['login.start', 'token'],
      ['login.ok', 'token'],
      ['route.chosen', 'sigv4'],
      ['signed', 'sigv4'],
    ])
  })

  test('shares one session with every scheme for the same login, unless it is to have its own', async () => {
    const { make, baseUrl, emulator } = await service()
    const groups = new URL('/user/groups', baseUrl)
    const handle = async (): Promise<number> => (await authFetch(make())(groups)).status
    expect(new Set(await Promise.all(Array.from({ length: 20 }, handle)))).toEqual(new Set([200]))
    expect(emulator.logins).toBe(1)
    await make({ session: 'own' }).token?.getToken()
    expect(emulator.logins).toBe(2)
    await expect(
      make({ session: 'own', user: { ...user, password: 'wrong' } }).token?.getToken(),
    ).rejects.toMatchObject({ code: 'ERR_AUTH_LOGIN_REFUSED' })
  })

  test('uses the token of a store', async () => {
    const store = memoryTokenStore()
    const { make, baseUrl, emulator } = await service({ store, session: 'own' })
    for (const auth of [make(), make()]) await authFetch(auth)(new URL('/user/groups', baseUrl))
    expect(emulator.logins).toBe(1)
  })

  test('takes all other options of the two schemes', async () => {
    const { auth, baseUrl, emulator } = await service({
      tokenOptions: { uniqueSession: false },
      sigv4Options: { payload: 'unsigned', signHeaders: ['x-trace'] },
    })
    const send = authFetch(auth)
    await send(new URL('/user/groups', baseUrl))
    const init = { method: 'PUT', body: 'text', headers: { 'x-trace': '1' } }
    await send(new URL('/V1/a', baseUrl), init)
    const [login, , put] = emulator.requests
    expect(JSON.parse(new TextDecoder().decode(login?.body))).toMatchObject({
      UniqueSession: false,
    })
    expect(put?.headers).toMatchObject({ 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' })
    expect(put?.auth.signedHeaders).toContain('x-trace')
  })
})

test('a base path is kept: the login, tokens and signatures are below it, and nothing else is covered', async () => {
  const seen: string[] = []
  const credentialOf = ({ headers }: IncomingMessage): string => {
    if (headers['x-svc-security-token'] !== undefined) return 'token'
    return headers.authorization?.startsWith('AWS4-') ? 'signature' : 'none'
  }
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url} ${credentialOf(request)}`)
    response.end(JSON.stringify({ Token: 'a.token' }))
  })
  const { url, close } = await listenOnLoopback(server)
  onTestFinished(close)

  for (const baseUrl of [`${url.origin}/tenants/a`, new URL('/tenants/a/', url)]) {
    const auth = createServiceAuth({ baseUrl, region, user, apiKey, session: 'own' })
    const serviceFetch = authFetch(auth, { baseUrl })
    for (const path of ['/user/groups', 'user/groups', '/V1/a']) await serviceFetch(path)
    expect(seen.splice(0)).toEqual([
      'POST /tenants/a/user/login none',
      'GET /tenants/a/user/groups token',
      'GET /tenants/a/user/groups token',
      'GET /tenants/a/V1/a signature',
    ])
    for (const path of ['/user/groups', '/tenants/ab/V1/a', '/']) {
      await expect(serviceFetch(new URL(path, url))).rejects.toMatchObject({
        code: 'ERR_AUTH_ORIGIN',
      })
    }
    expect(seen).toEqual([])
  }
})

test('more origins are for the schemes alone', () => {
  const origins = ['https://*.search.example.com']
  const auth = createServiceAuth({
    baseUrl: environment,
    region,
    apiKey,
    sigv4Options: { origins },
  })
  const bucket = new URL('https://bucket.search.example.com/key')
  expect(auth.covers(bucket)).toBe(false)
  expect(auth.sigv4?.covers(bucket)).toBe(true)
})

describe('without the credentials of a route', () => {
  test.each<[option: string, method: string, path: string, given: Partial<ServiceAuthOptions>]>([
    ['user', 'GET', '/user/groups', { user: undefined }],
    ['user', 'POST', '/User/x', { user: undefined }],
    ['apiKey', 'GET', '/V1/a', { apiKey: undefined }],
    ['apiKey', 'PUT', '/', { apiKey: undefined, region: undefined }],
  ])('a request names the option %s, and nothing is sent: %s %s', async (...example) => {
    const [option, method, path, given] = example
    const { auth, baseUrl, emulator } = await service(given)
    const url = new URL(`${path}?secret=1`, baseUrl)
    const rejection = expect.objectContaining({
      code: 'ERR_AUTH_CREDENTIALS',
      message:
        `[@svc/service-auth] ${method} ${baseUrl.origin}${path} was not sent: ` +
        `what is ${option === 'user' ? '' : 'not '}below /user needs the option ${option} of createServiceAuth`,
    })
    await expect(authFetch(auth)(url, { method })).rejects.toThrow(rejection)
    await expect(ky.extend(authKy(auth))(url, { method })).rejects.toThrow(rejection)
    await expect(authorizeRequest(auth, url, { method })).rejects.toThrow(rejection)
    expect(emulator.requests).toEqual([])
  })

  test('the other routes work', async () => {
    const { make, baseUrl, arrived } = await service()
    const tokenOnly = make({ apiKey: undefined })
    const keyOnly = make({ user: undefined })
    await authFetch(tokenOnly)(new URL('/user/groups', baseUrl))
    await authFetch(keyOnly)(new URL('/V1/', baseUrl))
    expect(arrived().slice(1)).toEqual(['GET /user/groups token ok', 'GET /V1/ sigv4 ok'])
    expect([Object.keys(tokenOnly), Object.keys(keyOnly)]).toEqual([
      expect.not.arrayContaining(['sigv4']),
      expect.not.arrayContaining(['token']),
    ])
  })

  test('a redirect there is an error, and nothing is sent to it', async () => {
    const { make, baseUrl, emulator } = await service()
    emulator.fault({ path: '/user/groups', status: 307, headers: { location: '/V1/a' } })
    const send = authFetch(make({ apiKey: undefined }))
    await expect(send(new URL('/user/groups', baseUrl))).rejects.toMatchObject({
      code: 'ERR_AUTH_CREDENTIALS',
    })
    expect(emulator.requests.map(({ path }) => path)).toEqual(['/user/login', '/user/groups'])
  })
})

describe('what it is made of', () => {
  test('is given back', async () => {
    const { auth, emulator } = await service()
    expect(await auth.token?.getToken()).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/)
    expect(auth.token?.inspect().state).toBe('valid')
    expect(auth.sigv4?.name).toBe('sigv4')
    expect(emulator.logins).toBe(1)
  })

  test('is frozen, and survives a spread', async () => {
    const { auth, baseUrl } = await service()
    expect(Object.isFrozen(auth)).toBe(true)
    const logged = { ...auth, name: 'logged' }
    for (const path of ['/user/groups', '/V1/']) {
      expect((await authFetch(logged)(new URL(path, baseUrl))).status).toBe(200)
    }
  })

  test('shows no secret, before and after it was used', async () => {
    const { auth, baseUrl } = await service()
    const token = await auth.token?.getToken()
    await authFetch(auth)(new URL('/V1/', baseUrl))
    for (const secret of [user.password, apiKey.secretAccessKey, String(token)]) {
      expect(inspect(auth, { depth: 10, showHidden: true })).not.toContain(secret)
      expect(JSON.stringify(auth)).not.toContain(secret)
    }
  })

  test('signs for the tools that presign, explain and diagnose', async () => {
    const { auth, baseUrl } = await service()
    const url = new URL('/V1/a b', baseUrl)
    await authFetch(auth)(url, { method: 'PUT', body: 'text' })
    const link = await presign(auth, url)
    expect(await (await fetch(link)).text()).toBe('text')
    const { canonicalRequest } = await explain(auth, url)
    expect(canonicalRequest).toMatch(/^GET\n\/V1\/a%20b\n/)

    const wrong = createServiceAuth({
      baseUrl,
      region,
      apiKey: { ...apiKey, secretAccessKey: 'another' },
    })
    const refusal = await authFetch(wrong)(url)
    expect(refusal.status).toBe(403)
    expect((await diagnose(wrong, refusal, url)).verdict).toBe('secret-or-key')
  })

  test('takes paths in these tools, as authFetch with the same baseUrl does', async () => {
    const { auth, baseUrl } = await service()
    const serviceFetch = authFetch(auth, { baseUrl })
    await serviceFetch('/V1/a b', { method: 'PUT', body: 'text' })
    expect(await (await fetch(await presign(auth, '/V1/a b'))).text()).toBe('text')
    expect((await explain(auth, '/V1/a b')).url).toEqual(new URL('/V1/a%20b', baseUrl))

    const api = { baseUrl: new URL('/api', baseUrl) }
    const wrong = createServiceAuth({ ...api, region: 'eu-west-1', apiKey })
    const refusal = await authFetch(wrong, api)('/V1/x')
    const { verdict, summary } = await diagnose(wrong, refusal, '/V1/x')
    expect(verdict).toBe('region')
    expect(summary).toContain("give the option region: 'us-east-1'")
    expect((await explain(wrong, '/V1/x')).url.pathname).toBe('/api/V1/x')
    await expect(diagnose(auth, refusal, '/user/groups')).rejects.toThrow(
      /chose no signature for GET .+\/user\/groups; of a request with a token, .+ nothing to diagnose$/,
    )
  })

  test('signs nothing that takes a token, or for which there is no key', async () => {
    const { auth, make, baseUrl } = await service()
    await expect(presign(auth, new URL('/user/groups', baseUrl))).rejects.toThrow(TypeError)
    const withoutKey = make({ apiKey: undefined })
    await expect(presign(withoutKey, new URL('/V1/a', baseUrl))).rejects.toThrow(TypeError)
    await expect(presign(auth, 'https://elsewhere.example/V1/a')).rejects.toMatchObject({
      code: 'ERR_AUTH_ORIGIN',
    })
  })
})

describe('options', () => {
  const named = '[@svc/service-auth] createServiceAuth: '

  test.each<[message: string, wrong: object]>([
    ['user, apiKey or both must be given', { user: undefined, apiKey: undefined }],
    ['baseUrl must be an absolute URL such as https://search.example.com', { baseUrl: undefined }],
    ['baseUrl must be an absolute URL', { baseUrl: 'search.example.com' }],
    ['baseUrl must be https', { baseUrl: 'http://search.example.com' }],
    [
      'baseUrl must be https, since a password is sent there; tokenOptions: { allowInsecureHttp: true } allows http',
      { baseUrl: 'http://search.example.com' },
    ],
    [
      'allowInsecureHttp is not an option; did you mean tokenOptions: { allowInsecureHttp }?',
      { baseUrl: 'http://search.example.com', allowInsecureHttp: true },
    ],
    ['payload is not an option; did you mean sigv4Options: { payload }?', { payload: 'signed' }],
    ['baseUrl must be the URL above /user', { baseUrl: `${environment}/user` }],
    ['baseUrl must be the URL above /user', { baseUrl: `${environment}/api/user/` }],
    ['baseUrl must be the URL above /user', { baseUrl: `${environment}/user/login` }],
    ['region must be a name such as us-east-1', { region: undefined }],
    ['region must be a name', { region: '' }],
    ['user must be an object with username and password', { user: 'reader' }],
    ['user must be an object with username and password', { user: null }],
    ['user.password must be a non-empty string', { user: { username: 'reader' } }],
    ['apiKey must be an object with accessKeyId', { apiKey: 'AKIDEXAMPLE' }],
    ['apiKey.secretAccessKey must be', { apiKey: { accessKeyId: 'AKIDEXAMPLE' } }],
    ["session must be 'shared' or 'own'", { session: 'mine' }],
    ['store must be ', { store: new Map() }],
    ['onEvent must be a function', { onEvent: 'log' }],
    ['tokenOptions must be an object', { tokenOptions: 'none' }],
    ['tokenOptions must be an object', { tokenOptions: [] }],
    ['tokenOptions must be an object', { tokenOptions: new Map([['store', 'disk']]) }],
    ['sigv4Options must be an object', { sigv4Options: new URL('https://search.example.com') }],
    [
      'tokenOptions must be readable',
      {
        tokenOptions: {
          get store() {
            throw new Error('hidden')
          },
        },
      },
    ],
    ['sigv4Options must be an object', { sigv4Options: null }],
    ['tokenOptions.loginTimeoutMs must be a positive', { tokenOptions: { loginTimeoutMs: -1 } }],
    ['tokenOptions.origins[0] must be', { tokenOptions: { origins: ['search.example.com'] } }],
    ['sigv4Options.payload must be', { sigv4Options: { payload: 'yes' } }],
    ['tokenOptions.store must be', { tokenOptions: { store: 'disk' } }],
    ['credentials is not an option; did you mean user?', { credentials: user }],
    ['accessKeyId is not an option; did you mean apiKey?', { accessKeyId: 'AKIDEXAMPLE' }],
    ['user.Password is not known; did you mean', { user: { username: 'a', Password: 'b' } }],
    ['tokenOptions.retries is not an option', { tokenOptions: { retries: 3 } }],
    ['sigv4Options.regoin is not an option', { sigv4Options: { regoin: region } }],
    ['store must be', { store: 'disk', tokenOptions: { store: undefined } }],
    [
      'tokenOptions.baseUrl and baseUrl are the same option',
      { tokenOptions: { baseUrl: environment } },
    ],
    [
      'tokenOptions.credentials and user are the same option',
      { tokenOptions: { credentials: user } },
    ],
    [
      'tokenOptions.store and store are the same option',
      { store: memoryTokenStore(), tokenOptions: { store: memoryTokenStore() } },
    ],
    [
      'tokenOptions.session and session are the same option',
      { session: 'own', tokenOptions: { session: 'shared' } },
    ],
    [
      'sigv4Options.baseUrl and baseUrl are the same option',
      { sigv4Options: { baseUrl: environment } },
    ],
    [
      'sigv4Options.credentials and apiKey are the same option',
      { sigv4Options: { credentials: apiKey } },
    ],
    ['fetch is not an option; did you mean tokenOptions: { fetch }?', { fetch }],
    ['engine is not an option; did you mean sigv4Options: { engine }?', { engine: {} }],
    ['TokenOptions is not an option; did you mean tokenOptions?', { TokenOptions: {} }],
    ['sigv4Options.region and region are the same option', { sigv4Options: { region } }],
    [
      'sigv4Options.onEvent and onEvent are the same option',
      { onEvent() {}, sigv4Options: { onEvent() {} } },
    ],
  ])('%s', (message, wrong) => {
    // Plain JavaScript may hand these over.
    const options = { baseUrl: environment, region, user, apiKey, ...wrong } as ServiceAuthOptions
    expect(() => createServiceAuth(options)).toThrow(TypeError)
    expect(() => createServiceAuth(options)).toThrow(named + message)
  })

  test.each(['credentials', 'region'])(
    'a getter for %s that throws shows nothing of it',
    (name) => {
      const get = (): never => {
        throw new Error('quotes a secret')
      }
      for (const option of ['tokenOptions', 'sigv4Options']) {
        const hostile = Object.defineProperty({}, name, { get, enumerable: true })
        expect(() => createServiceAuth({ baseUrl: environment, [option]: hostile })).toThrow(
          `${named}${option} must be readable`,
        )
      }
    },
  )

  test('must be there', () => {
    expect(() => Reflect.apply(createServiceAuth, undefined, [])).toThrow(`${named}options must be`)
  })

  test('may be undefined, or given in one of both places', () => {
    const undefinedOptions = { store: undefined, session: undefined, onEvent: undefined }
    for (const options of [
      undefinedOptions,
      { tokenOptions: undefined, sigv4Options: undefined },
      { tokenOptions: { ...undefinedOptions, baseUrl: undefined }, store: memoryTokenStore() },
      { tokenOptions: { store: memoryTokenStore(), onEvent() {} } },
      { sigv4Options: { onEvent() {} } },
      { region: undefined, sigv4Options: { region } },
    ]) {
      const given = { baseUrl: environment, region, user, apiKey, ...options }
      expect(() => createServiceAuth(given as ServiceAuthOptions)).not.toThrow()
    }
  })

  test('are read once', async () => {
    const options = { baseUrl: environment, region, user: { ...user } }
    const auth = createServiceAuth(options)
    options.baseUrl = 'https://elsewhere.example'
    expect(auth.covers(new URL(environment))).toBe(true)
    expect(auth.covers(new URL(options.baseUrl))).toBe(false)
  })
})

describe('the routes of the service, with schemes made by hand', () => {
  const credentials = user
  const key = apiKey
  const [localhost, loopback] = ['http://localhost:8080', 'http://127.0.0.1:8080']

  test('are told at once of localhost in the place of 127.0.0.1, and of any other address', () => {
    for (const [baseUrl, other] of [
      [localhost, loopback],
      [loopback, localhost],
      [localhost, 'http://localhost:8081'],
      ['https://h.example/api', 'https://h.example/other'],
    ] as const) {
      const token = createTokenAuth({ baseUrl, credentials })
      const tokenElsewhere = createTokenAuth({ baseUrl: other, credentials })
      const sigv4 = createSigV4Auth({ baseUrl, region, credentials: key })
      const sigv4Elsewhere = createSigV4Auth({
        baseUrl: 'http://search.example.com',
        region,
        credentials: key,
      })
      expect(() => createServiceRoutes({ baseUrl, token, sigv4 })).not.toThrow()
      expect(() => createServiceRoutes({ baseUrl, token: tokenElsewhere, sigv4 })).toThrow(
        'createServiceRoutes: token must cover what it is used for: ' +
          `${baseUrl}/user/ is not covered by the scheme token, which covers ${other} (`,
      )
      expect(() => createServiceRoutes({ baseUrl, token, sigv4: sigv4Elsewhere })).toThrow(
        'createServiceRoutes: sigv4 must cover what it is used for: ' +
          `${baseUrl}/ is not covered by the scheme sigv4, which covers http://search.example.com (`,
      )
    }
  })

  test('may be one part of a selector, at whatever path', () => {
    const origin = environment
    const part = (path: string) =>
      createServiceAuth({ baseUrl: `${origin}${path}`, region, user, apiKey })
    const health: Route = { prefix: '/health', use: anonymous() }
    const token = createTokenAuth({ baseUrl: `${origin}/api`, credentials })
    const wildcard = createTokenAuth({ baseUrl: 'https://login.example.com', credentials })
    const everywhere = 'https://*.example.com'
    for (const options of [
      {
        origins: [origin],
        routes: [{ prefix: '/one', use: part('/one') }],
        otherwise: part('/two'),
      },
      { origins: [origin], routes: [health], otherwise: part('/api/v2/') },
      { origins: [origin], basePath: '/api', routes: [health], otherwise: part('/api/v2') },
      { origins: [origin], routes: [{ prefix: '/', use: token }], otherwise: anonymous() },
      {
        origins: [everywhere],
        routes: [{ prefix: '/user', use: wildcard }],
        otherwise: anonymous(),
      },
      {
        origins: [everywhere],
        routes: [{ path: '/x', method: 'POST', use: wildcard }],
        otherwise: anonymous(),
      },
    ]) {
      expect(() => createRouteAuthSelector(options)).not.toThrow()
    }
  })

  test('are told at once of a token and a signature that are swapped', () => {
    const baseUrl = environment
    const token = createTokenAuth({ baseUrl, credentials })
    const sigv4 = createSigV4Auth({ baseUrl, region, credentials: key })
    expect(() => createServiceRoutes({ baseUrl, token: sigv4, sigv4: token })).toThrow(
      'createServiceRoutes: token must be what createTokenAuth returns, not the scheme sigv4',
    )
  })
})

test('the package has what one needs, and nothing else', async () => {
  expect(Object.keys(await import('@svc/service-auth')).toSorted()).toEqual([
    'AuthError',
    'authFetch',
    'authKy',
    'authorizeRequest',
    'createServiceAuth',
    'forgetSessions',
  ])
  expect(AuthError.is(new AuthError('ERR_AUTH_URL', 'x'))).toBe(true)
})
