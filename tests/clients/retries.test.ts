import { Readable } from 'node:stream'
import { AuthError, authFetch, authKy } from '@svc/auth-hooks'
import { authAxios } from '@svc/auth-hooks/axios'
import { authGot } from '@svc/auth-hooks/got'
import { authFetch as retryFetch } from '@svc/auth-hooks/retry'
import { authInterceptor } from '@svc/auth-hooks/undici'
import { createSigV4Auth } from '@svc/auth-sigv4'
import { createTokenAuth } from '@svc/auth-token'
import { createServiceAuth } from '@svc/service-auth'
import { createEmulator, defaultApiKeys, defaultUsers } from '@svc/emulator'
import type { AuthScheme, Fetch } from '@svc/types'
import { createFetch as createBetterFetch } from '@better-fetch/fetch'
import axios, { AxiosError } from 'axios'
import axiosRetry from 'axios-retry'
import got from 'got'
import got14 from 'got14'
import { hc } from 'hono/client'
import ky from 'ky'
import ky1 from 'ky1'
import nodeFetch from 'node-fetch'
import { createFetch as createOfetch } from 'ofetch'
import createClient from 'openapi-fetch'
import * as undici from 'undici'
import * as undici7 from 'undici7'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type Front, type OtherResponse, startFront } from './service/front.ts'

const path = '/V1/reports/a.txt'

/** The paths that the clients below know, by openapi-typescript's form. */
interface Paths {
  [path]: { get: { responses: { 200: { content: { 'text/plain': string } } } } }
}

/** Sends a GET, and gives the text of its response; throws for any status but 200. */
type Get = (url: URL) => Promise<string>

async function textOf(response: Response): Promise<string> {
  if (response.status !== 200) throw new Error(`status ${response.status}`)
  return response.text()
}

const retry = { limit: 2, baseDelayMs: 1 }

/** Clients that have no retry of their own, with ours. */
const ours: [name: string, connect: (scheme: AuthScheme) => Get][] = [
  ['fetch', (scheme) => async (url) => textOf(await retryFetch(scheme, { retry })(url))],
  [
    'fetch, a Request',
    (scheme) => async (url) => textOf(await retryFetch(scheme, { retry })(new Request(url))),
  ],
  ...openApiClients(),
  [
    'Hono',
    (scheme) => {
      const fetch = retryFetch(scheme, { retry })
      return async (url) => {
        const client = hc(url.origin, { fetch }) as unknown as HonoClient
        return textOf(await client.V1.reports['a.txt'].$get())
      }
    },
  ],
  [
    'node-fetch',
    (scheme) => {
      const fetch = retryFetch(scheme, { retry, fetch: nodeFetch as unknown as Fetch })
      return async (url) => textOf(await fetch(url))
    },
  ],
  [
    'fetch of undici',
    (scheme) => {
      const fetch = retryFetch(scheme, { retry, fetch: undici.fetch as unknown as Fetch })
      return async (url) => textOf(await fetch(url))
    },
  ],
]

interface HonoClient {
  V1: { reports: { 'a.txt': { $get(): Promise<Response> } } }
}

function openApiClients(): typeof ours {
  return [
    [
      'openapi-fetch',
      (scheme) => {
        const fetch = retryFetch(scheme, { retry, rebuildRequests: true })
        return async (url) => {
          const client = createClient<Paths>({ baseUrl: url.origin, fetch })
          const { data, response } = await client.GET(path, { parseAs: 'text' })
          return data ?? `status ${response.status}`
        }
      },
    ],
    [
      'openapi-fetch, as middleware',
      (scheme) => {
        const fetch = retryFetch(scheme, { retry, rebuildRequests: true })
        return async (url) => {
          const client = createClient<Paths>({ baseUrl: url.origin })
          client.use({ onRequest: ({ request }) => fetch(request) })
          const { data, response } = await client.GET(path, { parseAs: 'text' })
          return data ?? `status ${response.status}`
        }
      },
    ],
  ]
}

/** Clients that retry by themselves, told to do it twice. */
const theirs: [name: string, connect: (scheme: AuthScheme) => Get][] = [
  ...Object.entries({ ky, 'ky 1': ky1 as unknown as typeof ky }).map(
    ([name, client]): (typeof theirs)[number] => [
      name,
      (scheme) => {
        const api = client.extend(authKy(scheme)).extend({ retry: { limit: 2, delay: () => 1 } })
        return async (url) => textOf(await api.get(url))
      },
    ],
  ),
  ...Object.entries({ got, 'got 14': got14 as unknown as typeof got }).map(
    ([name, client]): (typeof theirs)[number] => [
      name,
      (scheme) => {
        const calculateDelay = ({ computedValue, attemptCount, retryAfter }: GotDelay): number =>
          retryAfter ?? (computedValue && attemptCount <= 2 ? 1 : 0)
        const api = client.extend(authGot(scheme) as never)
        return async (url) => api.get(url, { retry: { limit: 2, calculateDelay } }).text()
      },
    ],
  ),
  ...(['http', 'fetch'] as const).map((adapter): (typeof theirs)[number] => [
    `axios with axios-retry, over ${adapter}`,
    (scheme) => {
      const api = axios.create({ ...authAxios(scheme, { adapter }), responseType: 'text' })
      axiosRetry(api, {
        retries: 2,
        retryDelay: (count, error) => axiosRetry.exponentialDelay(count, error, 1),
      })
      return async (url) => (await api.get<string>(url.href)).data
    },
  ]),
  ...Object.entries({ undici, 'undici 7': undici7 as unknown as typeof undici }).flatMap(
    ([name, library]): typeof theirs => [
      [
        `${name} with interceptors.retry`,
        (scheme) => {
          const retries = library.interceptors.retry({ maxRetries: 2, minTimeout: 1 })
          return undiciGet(library, new library.Agent().compose(authInterceptor(scheme), retries))
        },
      ],
      [
        `${name} with RetryAgent`,
        (scheme) => {
          const agent = new library.Agent().compose(authInterceptor(scheme))
          const options = { maxRetries: 2, minTimeout: 1 }
          return undiciGet(library, new library.RetryAgent(agent, options))
        },
      ],
    ],
  ),
  [
    'ofetch',
    (scheme) => {
      const api = createOfetch({ fetch: authFetch(scheme) })
      return async (url) => api(url.href, { retry: 2, retryDelay: 1, responseType: 'text' })
    },
  ],
]

interface GotDelay {
  readonly computedValue: number
  readonly attemptCount: number
  readonly retryAfter?: number
}

function undiciGet({ request }: typeof undici, dispatcher: undici.Dispatcher): Get {
  onTestFinished(() => dispatcher.destroy())
  return async (url) => {
    const { statusCode, body } = await request(url, { dispatcher })
    const text = await body.text()
    if (statusCode !== 200) throw new Error(`status ${statusCode}`)
    return text
  }
}

/** Starts the service with an object, behind a front that responds otherwise at first. */
async function startService(...others: Omit<OtherResponse, 'path'>[]) {
  const emulator = createEmulator({ bodiesWithoutLength: 'accepted' })
  const listening = await emulator.listen()
  const front: Front = await startFront(listening.url)
  onTestFinished(async () => {
    await front.close()
    await listening.close()
  })
  // Each signature is of another second.
  const clock = { now: Date.now() }
  const scheme = createSigV4Auth({
    baseUrl: front.url.origin,
    region: 'us-east-1',
    credentials: defaultApiKeys[0],
    clock: () => (clock.now += 1000),
  })
  const url = new URL(path, front.url)
  await authFetch(scheme)(url, { method: 'PUT', body: 'found' })
  const before = emulator.requests.length
  for (const other of others) front.instead({ path, times: 1, ...other })
  return {
    emulator,
    front,
    scheme,
    url,
    /** The requests since then, all of which the emulator has verified. */
    arrived: () => emulator.requests.slice(before),
  }
}

const busy = { status: 503, body: 'busy' }
const breaks = { status: 0, breaks: 'connection' } as const

function expectFresh(arrived: Awaited<ReturnType<typeof startService>>['arrived'], count: number) {
  const requests = arrived()
  expect(requests.map(({ auth }) => [auth.scheme, auth.ok])).toEqual(
    requests.map(() => ['sigv4', true]),
  )
  expect(requests.length).toBe(count)
  expect(new Set(requests.map(({ headers }) => headers['authorization'])).size).toBe(count)
}

describe.each([...ours, ...theirs])('%s', (_name, connect) => {
  test('three requests after a 503 and a broken connection, each with a signature of its own', async () => {
    const { scheme, url, arrived } = await startService(busy, breaks)
    expect(await connect(scheme)(url)).toBe('found')
    expectFresh(arrived, 3)
  })

  test('one login, if it is refused', async () => {
    const { front, url } = await startService()
    const before = front.passed.length
    const credentials = { ...defaultUsers[0], password: 'another one' }
    const refused = createTokenAuth({ baseUrl: front.url, credentials })
    expect(await connect(refused)(url).catch(() => 'failed')).toBe('failed')
    expect(front.passed.slice(before).map((passage) => passage.path)).toEqual(['/user/login'])
  })

  test('no fourth request', async () => {
    const { scheme, url, arrived } = await startService(busy, busy, { ...busy, times: 9 })
    const result = await connect(scheme)(url).catch(String)
    expect(result).not.toBe('found')
    expectFresh(arrived, 3)
  })
})

// ofetch does not look at it.
test('a Retry-After is waited for', async () => {
  const waiting = [...ours, ...theirs].filter(([name]) => name !== 'ofetch')
  const wait = async ([name, connect]: (typeof ours)[number]): Promise<void> => {
    const service = await startService({ ...busy, headers: { 'retry-after': '1' } })
    const get = connect(service.scheme)
    const startedAt = performance.now()
    const text = await get(service.url)
    const hasWaited = performance.now() - startedAt > 950
    expect([name, text, hasWaited]).toEqual([name, 'found', true])
    expectFresh(service.arrived, 2)
  }
  await Promise.all(waiting.map(wait))
})

test('ofetch does not wait as long as Retry-After asks', async () => {
  const { scheme, url, arrived } = await startService({ ...busy, headers: { 'retry-after': '9' } })
  const api = createOfetch({ fetch: authFetch(scheme) })
  const options = { retry: 2, retryDelay: 1, responseType: 'text' } as const
  const signal = AbortSignal.timeout(8000)
  expect(await api(url.href, { ...options, signal })).toBe('found')
  expectFresh(arrived, 2)
})

test('better-fetch retries after a 503, and not after a broken connection', async () => {
  const { scheme, url, arrived } = await startService(busy, breaks)
  const api = createBetterFetch({ customFetchImpl: authFetch(scheme) })
  const twice = { type: 'linear', attempts: 2, delay: 1 } as const
  await expect(api<string>(url.href, { retry: twice })).rejects.toThrow('fetch failed')
  expectFresh(arrived, 2)
})

describe('undici with its retry inside of ours', () => {
  test('sends the same signature again', async () => {
    const { scheme, url, arrived } = await startService(busy, breaks)
    const retries = undici.interceptors.retry({ maxRetries: 2, minTimeout: 1 })
    const get = undiciGet(undici, new undici.Agent().compose(retries, authInterceptor(scheme)))
    expect(await get(url)).toBe('found')
    const signatures = arrived().map(({ headers }) => headers['authorization'])
    expect([signatures.length, new Set(signatures).size]).toEqual([3, 1])
  })
})

test('undici goes on with a body that broke off, and signs the range that it asks for', async () => {
  const half = { status: 200, breaks: 'body', body: 'fou' } as const
  const headers = { 'content-length': '5', etag: '"1"' }
  const { scheme, url, arrived, front } = await startService({ ...half, headers })
  const rest = { 'content-range': 'bytes 3-4/5', 'content-length': '2', etag: '"1"' }
  front.instead({ path, times: 1, status: 206, headers: rest, body: 'nd' })
  const retries = undici.interceptors.retry({ maxRetries: 2, minTimeout: 1 })
  const get = undiciGet(undici, new undici.Agent().compose(authInterceptor(scheme), retries))
  expect(await get(url)).toBe('found')
  expectFresh(arrived, 2)
  expect(arrived()[1]?.headers['range']).toBe('bytes=3-4')
  expect(arrived()[1]?.auth.signedHeaders).toContain('range')
})

describe('ours', () => {
  test('leaves a body that breaks off to the caller', async () => {
    const half = { status: 200, breaks: 'body', body: 'fou' } as const
    const { scheme, url, arrived } = await startService({
      ...half,
      headers: { 'content-length': '5' },
    })
    const response = await retryFetch(scheme, { retry })(url)
    await expect(response.text()).rejects.toThrow('terminated')
    expect(arrived().length).toBe(1)
  })

  test('goes on after a 503 whose body breaks off', async () => {
    const half = { status: 503, breaks: 'body', body: 'bu' } as const
    const { scheme, url, arrived } = await startService({
      ...half,
      headers: { 'content-length': '5' },
    })
    expect(await textOf(await retryFetch(scheme, { retry })(url))).toBe('found')
    expectFresh(arrived, 2)
  })

  test('uses a connection again after a 503', async () => {
    const { scheme, url, front } = await startService(busy, busy)
    const dispatcher = new undici.Agent()
    onTestFinished(() => dispatcher.destroy())
    const before = front.connections()
    const fetch = retryFetch(scheme, {
      fetch: undici.fetch as unknown as Fetch,
      retry: { ...retry, baseDelayMs: 50, random: () => 0.5 },
    })
    const init = { dispatcher } as unknown as RequestInit
    expect(await textOf(await fetch(url, init))).toBe('found')
    expect(front.connections() - before).toBe(1)
  })

  test.each([
    ['text', 'größer'],
    ['a large Blob', new Blob([new Uint8Array(3 * 1024 * 1024).fill(120)])],
    ['a form', form()],
  ])('sends %s whole each time, with a signature of its own', async (_what, body) => {
    const { scheme, url, arrived } = await startService(busy, breaks)
    const response = await retryFetch(scheme, { retry })(url, { method: 'PUT', body })
    expect(response.status).toBe(200)
    expectFresh(arrived, 3)
    const bodies = arrived().map((request) => Buffer.from(request.body).toString('base64'))
    expect(bodies[0]?.length).toBeGreaterThan(5)
    expect(new Set(bodies).size).toBe(1)
  })

  test('sends a Request with a body three times', async () => {
    const { scheme, url, arrived } = await startService(busy, breaks)
    const request = new Request(url, { method: 'PUT', body: 'größer' })
    expect((await retryFetch(scheme, { retry })(request)).status).toBe(200)
    expectFresh(arrived, 3)
  })

  test('sends a stream once', async () => {
    const { scheme, url, arrived } = await startService(breaks)
    const init = { method: 'PUT', body: new Blob(['größer']).stream(), duplex: 'half' }
    const headers = { 'content-length': '8' }
    const sent = retryFetch(scheme, { retry })(url, { ...init, headers })
    await expect(sent).rejects.toThrow('fetch failed')
    expectFresh(arrived, 1)
  })

  test('counts a deadline over all attempts', async () => {
    const { scheme, url, arrived } = await startService({ ...busy, times: 9 })
    const fetch = retryFetch(scheme, {
      retry: { limit: 9, baseDelayMs: 60_000, random: () => 0.9 },
    })
    const signal = AbortSignal.timeout(300)
    await expect(fetch(url, { signal })).rejects.toMatchObject({ name: 'TimeoutError' })
    expectFresh(arrived, 1)
  })

  test('may have a deadline of each attempt', async () => {
    const { scheme, url, emulator } = await startService()
    emulator.fault({ path, times: 1, latencyMs: 100_000 })
    let attempts = 0
    const fetchInTime: Fetch = (input, init = {}) => {
      attempts += 1
      const limit = AbortSignal.timeout(attempts === 1 ? 200 : 60_000)
      const signal = AbortSignal.any([limit, ...(init.signal ? [init.signal] : [])])
      return fetch(input, { ...init, signal })
    }
    const send = retryFetch(scheme, { retry, fetch: fetchInTime })
    expect(await textOf(await send(url, { signal: AbortSignal.timeout(60_000) }))).toBe('found')
    expect(attempts).toBe(2)
  })

  test('takes the whole service, with one login for all attempts and callers', async () => {
    const { front } = await startService()
    const groups = new URL('/user/groups', front.url)
    const service = createServiceAuth({ baseUrl: front.url, user: defaultUsers[0] })
    front.instead({ path: groups.pathname, times: 20, ...busy })
    const fetch = retryFetch(service, { baseUrl: front.url, retry: { limit: 5, baseDelayMs: 1 } })
    const responses = await Promise.all(
      Array.from({ length: 10 }, async () => fetch('/user/groups')),
    )
    expect(responses.map(({ status }) => status)).toEqual(Array(10).fill(200))
    expect(front.passed.filter(({ path: one }) => one === '/user/login').length).toBe(1)
  })
})

function form(): FormData {
  const given = new FormData()
  given.set('file', new Blob(['größer']), 'a.txt')
  return given
}

/** Sends a PUT of a stream; throws for any status but 200. */
type Put = (url: URL, body: unknown) => Promise<unknown>

/** The same clients, told to repeat a PUT. */
const uploads: [name: string, connect: (scheme: AuthScheme) => Put][] = [
  ...Object.entries({ ky, 'ky 1': ky1 as unknown as typeof ky }).map(
    ([name, client]): (typeof uploads)[number] => [
      name,
      (scheme) => {
        const api = client.extend(authKy(scheme)).extend({ retry: { limit: 2, delay: () => 1 } })
        return (url, body) => api.put(url, { body, duplex: 'half' } as never)
      },
    ],
  ),
  ...Object.entries({ got, 'got 14': got14 as unknown as typeof got }).map(
    ([name, client]): (typeof uploads)[number] => [
      name,
      (scheme) => {
        const api = client.extend(authGot(scheme) as never)
        const retries = {
          limit: 2,
          calculateDelay: ({ attemptCount }: GotDelay) => Number(attemptCount <= 2),
        }
        return (url, body) => api.put(url, { retry: retries, body } as never)
      },
    ],
  ),
  ...(['http', 'fetch'] as const).map((adapter): (typeof uploads)[number] => [
    `axios with axios-retry, over ${adapter}`,
    (scheme) => {
      const api = axios.create(authAxios(scheme, { adapter }))
      axiosRetry(api, { retries: 2, retryDelay: () => 1 })
      return (url, body) => api.put(url.href, body)
    },
  ]),
  [
    'undici with RetryAgent',
    (scheme) => {
      const agent = new undici.Agent().compose(authInterceptor(scheme))
      const dispatcher = new undici.RetryAgent(agent, { maxRetries: 2, minTimeout: 1 })
      onTestFinished(() => dispatcher.destroy())
      return async (url, body) => {
        const options = { dispatcher, method: 'PUT', body: body as never } as const
        const response = await undici.request(url, options)
        await response.body.dump()
        if (response.statusCode !== 200) throw new Error(`status ${response.statusCode}`)
      }
    },
  ],
]

const usedUp: [kind: string, body: () => unknown][] = [
  ['a stream of Node', () => Readable.from([Buffer.from('abc')])],
  ['a web stream', () => new Blob(['abc']).stream()],
  [
    'a generator',
    async function* () {
      yield Buffer.from('abc')
    },
  ],
]

describe.each(uploads)('%s', (name, connect) => {
  // axios makes JSON of a generator.
  const kinds = usedUp.filter(([kind]) => !(name.startsWith('axios') && kind === 'a generator'))

  test.each(kinds)('sends %s whole, or not again', async (_kind, body) => {
    const { scheme, url, arrived } = await startService({ ...busy, times: 9 })
    const error: unknown = await connect(scheme)(url, body()).then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    expect(error).toBeInstanceOf(Error)
    // ky keeps what it has sent, for the next attempt.
    const count = name.startsWith('ky') ? 3 : 1
    const sent = arrived().map(({ body: bytes }) => Buffer.from(bytes).toString())
    expect(sent).toEqual(Array.from({ length: count }, () => 'abc'))
  })
})

// On Node, axios makes of it a form of a package, whose parts are gone once it was piped or destroyed.
test.each(['http', 'fetch'] as const)(
  'axios-retry sends a form whole each time, over %s',
  async (adapter) => {
    const { scheme, url, arrived } = await startService(breaks, busy)
    const api = axios.create(authAxios(scheme, { adapter }))
    axiosRetry(api, { retries: 2, retryDelay: () => 1 })
    await api.putForm(url.href, { text: 'of the form' })
    expectFresh(arrived, 3)
    const sent = arrived().map(({ body }) => Buffer.from(body).toString())
    expect(sent[0]).toContain('of the form')
    expect(sent).toEqual(sent.map(() => sent[0]))
  },
)

/** Clients that are told to call again after a login whose connection broke. */
const forLogins: [name: string, connect: (scheme: AuthScheme) => Get][] = [
  ['fetch', (scheme) => async (url) => textOf(await retryFetch(scheme, { retry })(url))],
  [
    'ky',
    (scheme) => {
      const shouldRetry = ({ error }: { error: unknown }) => isLostLogin(error) || undefined
      const api = ky
        .extend(authKy(scheme))
        .extend({ retry: { limit: 2, delay: () => 1, shouldRetry } })
      return async (url) => textOf(await api.get(url))
    },
  ],
  [
    'ky 1',
    (scheme) => {
      const api = ky1.extend(authKy(scheme)).extend({ retry: { limit: 2, delay: () => 1 } })
      return async (url) => textOf(await api.get(url))
    },
  ],
  ...Object.entries({ got, 'got 14': got14 as unknown as typeof got }).map(
    ([name, client]): (typeof forLogins)[number] => [
      name,
      (scheme) => {
        const { errorCodes = [] } = client.defaults.options.retry
        const codes = [...errorCodes, 'ERR_AUTH_LOGIN_NETWORK']
        const api = client.extend(authGot(scheme) as never)
        const options = { retry: { limit: 2, errorCodes: codes, backoffLimit: 1 } }
        return async (url) => api.get(url, options).text()
      },
    ],
  ),
  [
    'axios-retry',
    (scheme) => {
      const { adapter: send } = authAxios(scheme)
      const api = axios.create({
        adapter: (config) =>
          send(config).catch((error: unknown) => {
            throw isLostLogin(error) ? AxiosError.from(error, error.code, config) : error
          }),
        responseType: 'text',
      })
      axiosRetry(api, {
        retries: 2,
        retryDelay: () => 1,
        retryCondition: (error) =>
          error.code === 'ERR_AUTH_LOGIN_NETWORK' ||
          axiosRetry.isNetworkOrIdempotentRequestError(error),
      })
      return async (url) => (await api.get<string>(url.href)).data
    },
  ],
  ...Object.entries({ undici, 'undici 7': undici7 as unknown as typeof undici }).map(
    ([name, library]): (typeof forLogins)[number] => [
      name,
      (scheme) => {
        const agent = new library.Agent().compose(authInterceptor(scheme))
        const errorCodes = ['ECONNRESET', 'ECONNREFUSED', 'ERR_AUTH_LOGIN_NETWORK']
        const options = { maxRetries: 2, minTimeout: 1, errorCodes }
        return undiciGet(library, new library.RetryAgent(agent, options))
      },
    ],
  ),
]

function isLostLogin(error: unknown): error is AuthError {
  return AuthError.is(error) && error.code === 'ERR_AUTH_LOGIN_NETWORK'
}

/** A front before the service whose first two logins break off, and a session that pauses for none of them. */
async function startBrokenLogin() {
  const { front } = await startService()
  front.instead({ path: '/user/login', times: 2, ...breaks })
  const before = front.passed.length
  const options = { baseUrl: front.url, random: () => 0 }
  return {
    options,
    url: new URL('/user/groups', front.url),
    scheme: createTokenAuth({ ...options, credentials: defaultUsers[0] }),
    paths: () => front.passed.slice(before).map((passage) => passage.path),
  }
}

test.each(forLogins)(
  '%s sends a login again whose connection broke, and none that was refused',
  async (_name, connect) => {
    const { options, url, scheme, paths } = await startBrokenLogin()
    expect(await connect(scheme)(url)).toContain('[')
    expect(paths()).toEqual(['/user/login', '/user/login', '/user/login', '/user/groups'])

    const credentials = { ...defaultUsers[0], password: 'another one' }
    await expect(connect(createTokenAuth({ ...options, credentials }))(url)).rejects.toThrow(
      'login',
    )
    expect(paths().length).toBe(5)
  },
)

// ky 1 and ofetch call again after any error.
test.each(theirs.filter(([name]) => name !== 'ky 1' && name !== 'ofetch'))(
  '%s does not, if it was not told to',
  async (name, connect) => {
    const { url, scheme, paths } = await startBrokenLogin()
    await expect(connect(scheme)(url)).rejects.toThrow('login')
    // One before the call, outside of its timeout, and one in it.
    const isPrepared = /^(?:ky|got)/.test(name)
    expect(paths()).toEqual(Array.from({ length: isPrepared ? 2 : 1 }, () => '/user/login'))
  },
)
