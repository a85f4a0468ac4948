import { authFetch, authKy } from '@svc/auth-hooks'
import { authAxios } from '@svc/auth-hooks/axios'
import { authGot } from '@svc/auth-hooks/got'
import { authOpenApi } from '@svc/auth-hooks/openapi-fetch'
import { createTokenAuth, type TokenAuth } from '@svc/auth-token'
import { createEmulator, defaultUsers, type Emulator } from '@svc/emulator'
import { createClient as createHeyApi } from '@hey-api/client-fetch'
import axios from 'axios'
import axios17 from 'axios17'
import got from 'got'
import got14 from 'got14'
import got15 from 'got15'
import ky from 'ky'
import ky1 from 'ky1'
import createClient, { type Middleware } from 'openapi-fetch'
import { expect, onTestFinished, test } from 'vitest'

const headers = { 'x-of-the-instance': '1' }

/** What an instance of a client sends, each time that it is called. */
type Send = () => Promise<unknown>

/** Makes an instance as an application has it, and then the same one with credentials. */
type Instance = (
  baseUrl: string,
  auth: TokenAuth,
) => { readonly bare: Send; readonly authenticate: () => Send }

// The types of the versions differ, and not what is used of them here.
// oxlint-disable typescript/no-unsafe-type-assertion -- see above
const copiesOfAxios: [string, typeof axios][] = [
  ['axios', axios],
  ['axios 1.7', axios17 as unknown as typeof axios],
]
const majorsOfGot: [string, typeof got][] = [
  ['got 16', got],
  ['got 15', got15 as unknown as typeof got],
  ['got 14', got14 as unknown as typeof got],
]
// oxlint-enable

interface Paths {
  '/user/groups': { get: { responses: { 200: { content: { 'application/json': unknown } } } } }
}

const instances: [string, Instance][] = [
  ...copiesOfAxios.map(([name, copy]): [string, Instance] => [
    name,
    (baseURL, auth) => {
      const api = copy.create({ baseURL, headers, validateStatus: null })
      const bare = async (): Promise<unknown> => (await api.get('/user/groups')).status
      return {
        bare,
        authenticate() {
          api.defaults.adapter = authAxios(auth, { axios: copy }).adapter
          return bare
        },
      }
    },
  ]),
  [
    'ky 2',
    (prefix, auth) => {
      const api = ky.create({ prefix, headers, throwHttpErrors: false })
      return {
        bare: async () => (await api.get('user/groups')).status,
        authenticate() {
          const authenticated = api.extend(authKy(auth))
          return async () => (await authenticated.get('user/groups')).status
        },
      }
    },
  ],
  [
    'ky 1',
    (prefixUrl, auth) => {
      const api = ky1.create({ prefixUrl, headers, throwHttpErrors: false })
      return {
        bare: async () => (await api.get('user/groups')).status,
        authenticate() {
          const authenticated = api.extend(authKy(auth))
          return async () => (await authenticated.get('user/groups')).status
        },
      }
    },
  ],
  ...majorsOfGot.map(([name, copy]): [string, Instance] => [
    name,
    (prefixUrl, auth) => {
      const api = copy.extend({ prefixUrl, headers, throwHttpErrors: false })
      return {
        bare: async () => (await api.get('user/groups')).statusCode,
        authenticate() {
          const authenticated = api.extend(authGot(auth))
          return async () => (await authenticated.get('user/groups')).statusCode
        },
      }
    },
  ]),
  [
    'openapi-fetch',
    (baseUrl, auth) => {
      const client = createClient<Paths>({ baseUrl, headers })
      const bare = async (): Promise<unknown> => (await client.GET('/user/groups')).response.status
      return {
        bare,
        authenticate() {
          const send = authFetch(auth)
          client.use({ onRequest: ({ request }) => send(request) })
          return bare
        },
      }
    },
  ],
  [
    'hey-api',
    (baseUrl, auth) => {
      const client = createHeyApi({ baseUrl, headers })
      const bare = async (): Promise<unknown> =>
        (await client.get({ url: '/user/groups' })).response?.status
      return {
        bare,
        authenticate() {
          client.setConfig({ fetch: authFetch(auth) })
          return bare
        },
      }
    },
  ],
]

test.each(instances)(
  'an instance of %s keeps its own settings, and gets the credentials',
  async (_name, instance) => {
    const { emulator, baseUrl } = await startService()
    const auth = createTokenAuth({ baseUrl, credentials: defaultUsers[0] })
    const { bare, authenticate } = instance(baseUrl, auth)
    expect(await bare()).toBe(401)

    const send = authenticate()
    expect(await Promise.all([send(), send()])).toEqual([200, 200])
    emulator.revokeTokens()
    expect(await send()).toBe(200)
    expect(emulator.logins).toBe(2)
    const groups = emulator.requests.filter(({ path }) => path === '/user/groups')
    expect(groups.map((request) => request.headers['x-of-the-instance'])).toEqual(
      groups.map(() => '1'),
    )
  },
)

test('middleware of openapi-fetch that is added last sends what the others have changed', async () => {
  const { emulator, baseUrl } = await startService()
  const send = authFetch(createTokenAuth({ baseUrl, credentials: defaultUsers[0] }))
  const client = createClient<Paths>({ baseUrl })
  client.use(setHeader)
  client.use({ onRequest: ({ request }) => send(request) })
  const { data } = await client.GET('/user/groups')
  expect(data).toEqual(defaultUsers[0].groups)
  expect(emulator.requests.at(-1)?.headers['x-of-the-middleware']).toBe('1')
})

test('a single call of openapi-fetch runs all middleware of its client', async () => {
  const { emulator, baseUrl } = await startService()
  const auth = createTokenAuth({ baseUrl, credentials: defaultUsers[0] })
  const client = createClient<Paths>({ baseUrl })
  const seen: number[] = []
  client.use(setHeader, { onResponse: ({ response }) => void seen.push(response.status) })
  const { data } = await client.GET('/user/groups', { ...authOpenApi(auth) })
  expect(data).toEqual(defaultUsers[0].groups)
  expect(seen).toEqual([200])
  expect(emulator.requests.at(-1)?.headers['x-of-the-middleware']).toBe('1')
})

const setHeader: Middleware = {
  onRequest: ({ request }) => request.headers.set('x-of-the-middleware', '1'),
}

async function startService(): Promise<{ emulator: Emulator; baseUrl: string }> {
  const emulator = createEmulator()
  const server = await emulator.listen()
  onTestFinished(() => server.close())
  return { emulator, baseUrl: server.url.href }
}
