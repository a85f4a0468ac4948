/* oxlint-disable typescript/no-unsafe-type-assertion -- only the types of the old versions differ */
import { authKy } from '@svc/auth-hooks'
import { authAxios } from '@svc/auth-hooks/axios'
import { authGot } from '@svc/auth-hooks/got'
import { authOpenApi } from '@svc/auth-hooks/openapi-fetch'
import { authInterceptor } from '@svc/auth-hooks/undici'
import { createTokenAuth, type TokenAuth } from '@svc/auth-token'
import { createEmulator, defaultUsers, type Emulator } from '@svc/emulator'
import type axios from 'axios'
import axios0 from 'axios0'
import axios16 from 'axios16'
import got11 from 'got11'
import got13 from 'got13'
import ky0 from 'ky0'
import createClient from 'openapi-fetch08'
import { expect, onTestFinished, test } from 'vitest'
import * as undici5 from 'undici5'
import * as undici6 from 'undici6'

test.each<[version: string, copy: unknown]>([
  ['0.27.2', axios0],
  ['1.6.8', axios16],
])('authAxios says at once that axios %s is not one that it works with', (version, copy) => {
  const auth = createTokenAuth({ baseUrl: 'http://127.0.0.1', credentials: defaultUsers[0] })
  expect(() => authAxios(auth, { axios: copy as typeof axios })).toThrow(
    new TypeError(
      `[@svc/auth-hooks] authAxios: axios must not be ${version}: it works with axios 1.7 and later 1.x; ` +
        'update axios, or pass another copy of it as the option axios',
    ),
  )
})

test('authAxios serves an instance of an old axios through another copy', async () => {
  const { auth, groups } = await startService()
  const api = axios0.default.create()
  api.defaults.adapter = authAxios(auth).adapter as never
  const { data } = await api.get<unknown>(groups)
  expect(data).toEqual(defaultUsers[0].groups)
})

test('authGot says at the first request that got 11 is too old', async () => {
  const { emulator, auth, groups } = await startService()
  const sent = got11.default.extend(authGot(auth) as never).get(groups, { retry: 0 })
  await expect(sent).rejects.toThrow(
    '[@svc/auth-hooks] authGot: it works with got 14, 15 and 16, and this is an older one; update got',
  )
  expect(emulator.requests).toEqual([])
})

test('authGot serves a simple request of got 13 all the same', async () => {
  const { auth, groups } = await startService()
  const api = got13.extend(authGot(auth))
  expect(await api.get(groups).json()).toEqual(defaultUsers[0].groups)
})

/** How each undici takes an interceptor. */
const agents = {
  5: (interceptor: unknown) =>
    new undici5.Agent({ interceptors: { Agent: [interceptor] } } as object),
  6: (interceptor: unknown) =>
    new undici6.Agent().compose(interceptor as undici6.Dispatcher.DispatcherComposeInterceptor),
}

test.each([
  [5, undici5.request],
  [6, undici6.request],
] as const)('authInterceptor says that undici %i is too old', async (major, request) => {
  const { emulator, auth, groups } = await startService()
  const dispatcher = agents[major](authInterceptor(auth))
  onTestFinished(() => dispatcher.close())
  await expect(request(groups, { dispatcher } as object)).rejects.toThrow(
    /^\[@svc\/auth-hooks\] authInterceptor: it works with undici 7 and 8, and this dispatcher is of an older one/,
  )
  expect(emulator.requests.map(({ path }) => path)).toEqual(['/user/login'])
})

test('authKy serves ky 0.33 as well', async () => {
  const { auth, groups } = await startService()
  const api = ky0.extend(authKy(auth))
  expect(await api.get(groups).json()).toEqual(defaultUsers[0].groups)
})

test('authOpenApi serves openapi-fetch 0.8 as well', async () => {
  const { auth, baseUrl } = await startService()
  const client = createClient<{ '/user/groups': { get: { responses: object } } }>({
    baseUrl,
    ...authOpenApi(auth),
  })
  const { data }: { data?: unknown } = await client.GET('/user/groups', {})
  expect(data).toEqual(defaultUsers[0].groups)
})

async function startService(): Promise<{
  emulator: Emulator
  auth: TokenAuth
  baseUrl: string
  groups: string
}> {
  const emulator = createEmulator()
  const server = await emulator.listen()
  onTestFinished(() => server.close())
  const auth = createTokenAuth({ baseUrl: server.url, credentials: defaultUsers[0] })
  return {
    emulator,
    auth,
    baseUrl: server.url.href,
    groups: new URL('/user/groups', server.url).href,
  }
}
