import { createServer } from 'node:http'
import { AuthError, authFetch, createServiceAuth, type ServiceAuth } from '@svc/service-auth'
import { authAxios } from '@svc/auth-hooks/axios'
import { authGot } from '@svc/auth-hooks/got'
import { forgetSessions } from '@svc/auth-token'
import { createEmulator, defaultApiKeys, defaultUsers, type Emulator } from '@svc/emulator'
import { emulatorHandler } from '@svc/emulator/msw'
import axios from 'axios'
import got from 'got'
import { delay, http, passthrough } from 'msw'
import { setupServer } from 'msw/node'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { listenOnLoopback } from '../support/loopback.ts'

const baseUrl = 'https://search.example.com'
const account = { user: defaultUsers[0], apiKey: defaultApiKeys[0], region: 'us-east-1' }

/** Tests the handler with the Mock Service Worker that this file gets for `msw`. */
export function testHandler(): void {
  let emulator: Emulator
  let auth: ServiceAuth
  let server: ReturnType<typeof setupServer>
  beforeEach(() => {
    emulator = createEmulator()
    // #region msw
    server = setupServer(emulatorHandler(emulator, { baseUrl }))
    // #endregion
    server.listen()
    auth = createServiceAuth({ baseUrl, ...account })
  })
  afterEach(() => {
    server.close()
    forgetSessions()
  })

  const clients = {
    fetch: () => {
      const send = authFetch(auth, { baseUrl })
      return async (method: string, path: string, body?: string) =>
        (await send(path, { method, body: body ?? null })).text()
    },
    'axios, http adapter': () => {
      const instance = axios.create({
        baseURL: baseUrl,
        responseType: 'text',
        transformResponse: String,
        ...authAxios(auth, { adapter: 'http' }),
      })
      return async (method: string, path: string, body?: string) =>
        String((await instance.request({ method, url: path, data: body })).data)
    },
    got: () => {
      const instance = got.extend(authGot(auth))
      return async (method: string, path: string, body?: string) =>
        instance(`${baseUrl}${path}`, { method: method as 'GET', ...(body && { body }) }).text()
    },
  }

  describe.each(Object.entries(clients))('%s', (_name, client) => {
    test('sends a token and a signature that holds, with one login', async () => {
      const send = client()
      expect(JSON.parse(await send('GET', '/user/groups'))).toHaveLength(2)
      await send('PUT', "/V1/a%20b/(c)'+%C3%A9.csv", 'a;b')
      expect(await send('GET', "/V1/a%20b/(c)'+%C3%A9.csv?x=2&x=1&y")).toBe('a;b')
      expect(emulator.logins).toBe(1)
      expect(emulator.requests.map(({ auth: { ok } }) => ok)).not.toContain(false)
      expect(emulator.requests.at(-1)).toMatchObject({ auth: { scheme: 'sigv4', ok: true } })
    })

    test('gets a network error where the emulator drops the connection', async () => {
      const send = client()
      emulator.fault({ path: '/V1/dropped', drop: true })
      const error: unknown = await send('PUT', '/V1/dropped', 'x').catch(
        (reason: unknown) => reason,
      )
      expect(error).toBeInstanceOf(Error)
      expect(emulator.requests.at(-1)).toMatchObject({ path: '/V1/dropped', status: undefined })
    })
  })

  test('an abort ends a latency, and the request is never carried out', async () => {
    const finished = vi.fn<() => void>()
    const slow = createEmulator({ onRequest: finished })
    slow.fault({ latencyMs: 3_600_000 })
    server.resetHandlers(emulatorHandler(slow, { baseUrl }))
    const controller = new AbortController()
    const pending = fetch(`${baseUrl}/V1/a`, { signal: controller.signal })
    await vi.waitUntil(() => slow.requests.length === 1, 30_000)
    const reason = new Error('enough')
    controller.abort(reason)
    await expect(pending).rejects.toBe(reason)
    await vi.waitUntil(() => finished.mock.calls.length === 1, 30_000)
    expect(slow.requests).toMatchObject([{ status: undefined }])
  })

  test('a refused login is not repeated, and is an AuthError', async () => {
    const refused = createServiceAuth({
      baseUrl,
      ...account,
      user: { username: 'nobody', password: 'wrong' },
    })
    const send = authFetch(refused, { baseUrl })
    const error: unknown = await send('/user/groups').catch((reason: unknown) => reason)
    expect(AuthError.is(error) && error.code).toBe('ERR_AUTH_LOGIN_REFUSED')
    expect(emulator.requests).toHaveLength(1)
  })

  test('requests to other origins are left to other handlers', async () => {
    const other = await listenOnLoopback(
      createServer((_incoming, outgoing) => outgoing.end('other')),
    )
    server.use(http.get(other.url.href, () => passthrough()))
    expect(await (await fetch(other.url)).text()).toBe('other')
    expect(emulator.requests).toHaveLength(0)
    await other.close()
  })

  test('a handler that never responds ends with the time limit of the login, or an abort', async () => {
    const impatient = createServiceAuth({
      baseUrl,
      ...account,
      tokenOptions: { loginTimeoutMs: 50 },
    })
    server.use(http.all(`${baseUrl}/*`, () => delay('infinite')))
    const send = authFetch(impatient, { baseUrl })
    const error: unknown = await send('/user/groups').catch((reason: unknown) => reason)
    expect(AuthError.is(error) && error.code).toBe('ERR_AUTH_LOGIN_TIMEOUT')
    const signal = AbortSignal.timeout(50)
    await expect(send('/V1/a', { signal })).rejects.toThrow('timeout')
  })

  test.each([
    ['emulator must be an object', undefined, { baseUrl }],
    ['emulator must come from createEmulator', {}, { baseUrl }],
    ['options must be an object', createEmulator(), undefined],
    ['baseUrl must be an http(s) URL', createEmulator(), {}],
    ['baseUrl must be an http(s) URL', createEmulator(), { baseUrl: 'ftp://a.test' }],
    ['baseURL is not an option; did you mean baseUrl?', createEmulator(), { baseURL: baseUrl }],
  ])('throws a TypeError: %s', (message, ...args) => {
    const make = (): unknown => Reflect.apply(emulatorHandler, undefined, args)
    expect(make).toThrow(TypeError)
    expect(make).toThrow(`[@svc/emulator] emulatorHandler: ${message}`)
  })
}
