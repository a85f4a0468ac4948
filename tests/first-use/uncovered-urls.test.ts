import { AuthError, authFetch, authKy, authorizeRequest, kyAuthHooks } from '@svc/auth-hooks'
import type { AuthScheme } from '@svc/auth-hooks'
import { authAxios } from '@svc/auth-hooks/axios'
import { authGot } from '@svc/auth-hooks/got'
import { authOpenApi } from '@svc/auth-hooks/openapi-fetch'
import { readRequest } from '@svc/auth-hooks/read-request'
import { authInterceptor } from '@svc/auth-hooks/undici'
import { createSigV4Auth } from '@svc/auth-sigv4'
import { explain } from '@svc/auth-sigv4/explain'
import { presign } from '@svc/auth-sigv4/presign'
import { createTokenAuth } from '@svc/auth-token'
import { createRouteAuthSelector, createServiceRoutes } from '@svc/route-auth-selector'
import axios from 'axios'
import axios17 from 'axios17'
import got from 'got'
import ky from 'ky'
import ky1 from 'ky1'
import createClient from 'openapi-fetch'
import { Agent, request } from 'undici'
import { describe, expect, test } from 'vitest'
import { apiKey, user } from './wrong-calls.ts'

const retry = { limit: 0 }
type Send = (scheme: AuthScheme, url: string) => Promise<unknown>

const clients: Record<string, Send> = {
  authFetch: (scheme, url) => authFetch(scheme)(url),
  'authFetch with a Request': (scheme, url) => authFetch(scheme)(new Request(url)),
  authorizeRequest: (scheme, url) => authorizeRequest(scheme, url),
  readRequest: (scheme, url) => readRequest(scheme, url),
  'ky 2': (scheme, url) => ky.extend(authKy(scheme))(url, { retry }),
  'ky 1': (scheme, url) => ky1.extend(authKy(scheme))(url, { retry }),
  'ky by its hooks': (scheme, url) => ky.extend({ hooks: kyAuthHooks(scheme) })(url, { retry }),
  axios: (scheme, url) => axios.create(authAxios(scheme)).get(url),
  'axios 1.7': (scheme, url) => axios17.create(authAxios(scheme, { axios: axios17 })).get(url),
  'axios by fetch': (scheme, url) => axios.create(authAxios(scheme, { adapter: 'fetch' })).get(url),
  got: (scheme, url) => got.extend(authGot(scheme))(url, { retry }),
  undici: (scheme, url) =>
    request(url, { dispatcher: new Agent().compose(authInterceptor(scheme)) }),
  'openapi-fetch': (scheme, url) =>
    createClient<Record<string, { get: object }>>({ ...authOpenApi(scheme) }).GET(url, {}),
}

/** The error of a call, without what a client put around it. */
async function refusalOf(call: Promise<unknown>): Promise<AuthError> {
  try {
    await call
  } catch (error) {
    const own = AuthError.is(error) ? error : Object(error).cause
    if (AuthError.is(own)) return own
    throw error
  }
  throw new Error('it was sent')
}

const local = 'http://127.0.0.1:8080'
const other = 'http://localhost:8080/user/groups?secret=1'
const token = createTokenAuth({ baseUrl: `${local}/`, credentials: user })

describe.each(Object.entries(clients))('%s', (_name, send) => {
  test('names the origin, the covered ones, the options and what differs', async () => {
    expect(await refusalOf(send(token, other))).toMatchObject({
      code: 'ERR_AUTH_ORIGIN',
      message:
        '[@svc/auth-hooks] http://localhost:8080/user/groups is not covered by the scheme token, which covers ' +
        'http://127.0.0.1:8080 (set by baseUrl and origins); localhost and 127.0.0.1 are different origins; ' +
        'nothing was sent',
    })
  })

  test('names the scheme alone where that does not say what it covers', async () => {
    const own: AuthScheme = {
      name: 'own',
      covers: () => false,
      authorize: () => ({ scheme: 'own', headers: [] }),
    }
    expect(await refusalOf(send(own, other))).toMatchObject({
      message:
        '[@svc/auth-hooks] http://localhost:8080/user/groups is not covered by the scheme own; nothing was sent',
    })
  })
})

const sigv4 = createSigV4Auth({
  baseUrl: 'https://search.example.com/api',
  origins: ['https://*.search.example.com'],
  region: 'us-east-1',
  credentials: apiKey,
})
const below = createTokenAuth({ baseUrl: 'https://search.example.com/api/', credentials: user })
const routes = createServiceRoutes({
  baseUrl: 'https://search.example.com/api',
  token: below,
  sigv4,
})
const mixed = createRouteAuthSelector({
  origins: ['http://localhost:8080', 'https://search.example.com', local],
  routes: [{ prefix: '/user', use: token }],
  otherwise: sigv4,
})
const elsewhere = 'https://elsewhere.example/V1/a'

describe('a scheme says what it covers', () => {
  test.each<[name: string, scheme: AuthScheme, url: string, words: string]>([
    [
      'a signature, the whole origin and others',
      sigv4,
      elsewhere,
      'sigv4, which covers https://search.example.com, https://*.search.example.com (set by baseUrl and origins)',
    ],
    [
      'a token, what is below the path of baseUrl',
      below,
      'https://search.example.com/user',
      'token, which covers https://search.example.com/api (set by baseUrl and origins)',
    ],
    [
      'the routes of the service, what is below baseUrl',
      routes,
      elsewhere,
      'route, which covers https://search.example.com/api (set by baseUrl, or by origins and basePath)',
    ],
    [
      'a selector, each of its origins',
      mixed,
      elsewhere,
      `route, which covers http://localhost:8080, https://search.example.com, ${local} (set by`,
    ],
    [
      'a selector, what the scheme of its route covers',
      mixed,
      other,
      'by its route /user it is not covered by the scheme token, which covers http://127.0.0.1:8080 (set by baseUrl and origins)',
    ],
    [
      'a selector without an origin',
      createRouteAuthSelector({ origins: [], routes: [], otherwise: sigv4 }),
      elsewhere,
      'route, which covers nothing (set by',
    ],
  ])('%s', async (_name, scheme, url, words) => {
    const error = await refusalOf(authFetch(scheme)(url))
    expect(error.code).toBe('ERR_AUTH_ORIGIN')
    expect(error.message).toContain(words)
    expect(error.message).not.toContain('secret')
  })

  test.each<[name: string, call: () => Promise<unknown>, words: string]>([
    ['presign', () => presign(sigv4, elsewhere), 'nothing was signed'],
    ['explain', () => explain(sigv4, elsewhere), 'nothing was sent'],
  ])('to %s as well', async (_name, call, words) => {
    const { code, message } = await refusalOf(call())
    expect(code).toBe('ERR_AUTH_ORIGIN')
    expect(message).toContain('https://*.search.example.com (set by baseUrl and origins)')
    expect(message).toContain(words)
  })

  test('a selector to whoever asks it to authorize', async () => {
    const outgoing = await readRequest({ ...mixed, covers: () => true }, other)
    expect(() => mixed.authorize(outgoing)).toThrow(
      '[@svc/route-auth-selector] GET http://localhost:8080/user/groups, by its route /user, is not covered by the ' +
        'scheme token, which covers http://127.0.0.1:8080 (set by baseUrl and origins); localhost and 127.0.0.1 are ' +
        'different origins',
    )
  })
})

test.each([
  ['http://localhost:8080/', 'http://127.0.0.1:8080', 'localhost and 127.0.0.1'],
  ['http://127.0.0.1:8080/', 'http://localhost:8080', '127.0.0.1 and localhost'],
  ['http://[::1]:8080/', 'http://localhost:8080', '[::1] and localhost'],
])('%s is told apart from %s', async (url, baseUrl, words) => {
  const auth = createTokenAuth({ baseUrl, credentials: user })
  const { message } = await refusalOf(authFetch(auth)(url))
  expect(message).toContain(`; ${words} are different origins;`)
})

test('another port of loopback is not taken for another name', async () => {
  const { message } = await refusalOf(authFetch(token)('http://localhost:9090/user'))
  expect(message).not.toContain('different origins')
})

test.each<[name: string, call: () => Promise<unknown>, words: string]>([
  ['authFetch', () => authFetch(token)('/user'), 'authFetch(auth, { baseUrl })'],
  ['authorizeRequest', () => authorizeRequest(token, '/user'), 'new URL('],
  ['explain', () => explain(sigv4, '/user'), 'new URL('],
  ['axios', () => axios.create(authAxios(token)).get('/user'), 'axios.create({ baseURL })'],
])('a path alone is told how it is meant: %s', async (_name, call, words) => {
  const error = await refusalOf(call())
  expect(error.code).toBe('ERR_AUTH_URL')
  expect(error.message).toContain(words)
})
