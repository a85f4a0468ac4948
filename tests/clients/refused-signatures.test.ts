import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { createClient as createHeyApi } from '@hey-api/client-fetch'
import { authFetch, authKy, type AuthScheme, kyAuthHooks } from '@svc/auth-hooks'
import { authAxios } from '@svc/auth-hooks/axios'
import { authGot } from '@svc/auth-hooks/got'
import { authOpenApi } from '@svc/auth-hooks/openapi-fetch'
import { authInterceptor } from '@svc/auth-hooks/undici'
import { createSigV4Auth, type Fetch, type SigV4AuthOptions } from '@svc/auth-sigv4'
import { diagnose, type Diagnosis } from '@svc/auth-sigv4/diagnose'
import { createTokenAuth } from '@svc/auth-token'
import { createEmulator, defaultApiKeys, defaultUsers, type EmulatorOptions } from '@svc/emulator'
import { createServiceRoutes } from '@svc/route-auth-selector'
import axios, { type AxiosRequestConfig, type ResponseType } from 'axios'
import axios17 from 'axios17'
import got from 'got'
import got14 from 'got14'
import got15 from 'got15'
import ky from 'ky'
import ky1 from 'ky1'
import nodeFetch from 'node-fetch'
import { createFetch } from 'ofetch'
import createOpenApi from 'openapi-fetch'
import { Agent, request as undiciRequest } from 'undici'
import wretch from 'wretch'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listenOnLoopback, type LoopbackServer } from '../support/loopback.ts'

interface Passed {
  target: string
  readonly headers: IncomingHttpHeaders
  body: Buffer
}

/** A way in which a signature is refused. */
interface Refusal {
  readonly name: string
  readonly verdict: string
  readonly auth?: Partial<SigV4AuthOptions>
  readonly emulator?: EmulatorOptions
  readonly gateway?: (passed: Passed) => void
  readonly isFault?: boolean
}

const at = Date.UTC(2026, 5, 1, 12)
const apiKey = defaultApiKeys[0]

const refusals: readonly Refusal[] = [
  {
    name: 'another host',
    verdict: 'canonical-request',
    gateway: ({ headers }) => (headers.host = 'storage.internal:9000'),
  },
  {
    name: 'another query',
    verdict: 'canonical-request',
    gateway: (passed) => (passed.target = passed.target.replace('b=2', 'b=3')),
  },
  {
    name: 'another content type',
    verdict: 'canonical-request',
    gateway: ({ headers }) => (headers['content-type'] = 'text/plain'),
  },
  {
    name: 'a wrong secret',
    verdict: 'secret-or-key',
    auth: { credentials: { ...apiKey, secretAccessKey: 'not-a-secret-either' } },
  },
  {
    name: 'an unknown key',
    verdict: 'secret-or-key',
    auth: { credentials: { ...apiKey, accessKeyId: 'AKIDUNKNOWN' } },
  },
  { name: 'a wrong region', verdict: 'region', auth: { region: 'eu-west-1' } },
  {
    name: 'a wrong clock',
    verdict: 'clock',
    // More than a day off, so that nobody takes the time of the service.
    emulator: { clock: () => at + 2 * 86_400_000 },
  },
  {
    name: 'another body',
    verdict: 'payload',
    gateway: (passed) => (passed.body = Buffer.from('c;b;a')),
  },
  { name: 'no reason', verdict: 'unknown', isFault: true },
]

const call = {
  method: 'PUT' as const,
  headers: { 'content-type': 'text/csv', 'x-amz-meta-a': '1' },
  body: 'a;b;c',
}

/** Sends the request, and returns what a client throws or hands over where it is refused. */
type Send = (scheme: AuthScheme, url: string) => Promise<unknown>

interface Client {
  readonly name: string
  readonly send: Send
  /** `true` if what it gives does not hold the request. */
  readonly isBare?: boolean
}

const thrown = async (sending: PromiseLike<unknown>): Promise<unknown> => {
  try {
    await sending
  } catch (error) {
    return error
  }
  return expect.unreachable()
}

const axiosConfig = (url: string): AxiosRequestConfig => {
  const { origin, pathname, searchParams } = new URL(url)
  const { method, headers, body } = call
  // As an instance has it, in parts.
  const params = { tag: 'a b', b: searchParams.get('b') }
  return { baseURL: origin, url: pathname, params, method, headers, data: body }
}

function axiosClients(name: string, library: typeof axios, adapter: 'http' | 'fetch'): Client[] {
  const create = (scheme: AuthScheme) =>
    library.create(authAxios(scheme, { adapter, axios: library }))
  const types = ['text', 'json', 'arraybuffer', ...(adapter === 'fetch' ? ['blob'] : [])] as const
  const thrownAs = types.map((responseType) => ({
    name: `${name} over ${adapter}, as ${responseType}`,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each of them is one
    send: (scheme: AuthScheme, url: string) =>
      thrown(create(scheme)({ ...axiosConfig(url), responseType: responseType as ResponseType })),
  }))
  const returned: Client = {
    name: `${name} over ${adapter}, returned`,
    send: (scheme, url) => create(scheme)({ ...axiosConfig(url), validateStatus: null }),
  }
  return [...thrownAs, returned]
}

function gotClients(name: string, library: typeof got): Client[] {
  const extend = (scheme: AuthScheme) => library.extend(authGot(scheme))
  const thrownAs = (['text', 'json', 'buffer'] as const).map((responseType) => ({
    name: `${name}, as ${responseType}`,
    send: (scheme: AuthScheme, url: string) =>
      thrown(extend(scheme)(url, { ...call, responseType })),
  }))
  const returned: Client = {
    name: `${name}, returned`,
    send: (scheme, url) => extend(scheme)(url, { ...call, throwHttpErrors: false }),
  }
  const streamed: Client = {
    name: `${name}, streamed`,
    async send(scheme, url) {
      const stream = extend(scheme).stream(url, call)
      stream.resume()
      const [error]: unknown[] = await once(stream, 'error')
      return error
    },
  }
  return [...thrownAs, returned, streamed]
}

function kyClients(name: string, library: typeof ky): Client[] {
  return [
    { name, send: (scheme, url) => thrown(library.extend(authKy(scheme))(url, call)) },
    {
      name: `${name} without retries`,
      send: (scheme, url) => thrown(library.extend(authKy(scheme))(url, { ...call, retry: 0 })),
    },
    {
      name: `${name} with hooks`,
      send: (scheme, url) => thrown(library.extend({ hooks: kyAuthHooks(scheme) })(url, call)),
    },
    {
      name: `${name}, returned`,
      isBare: true,
      send: (scheme, url) =>
        library.extend(authKy(scheme))(url, { ...call, throwHttpErrors: false }),
    },
  ]
}

// oxlint-disable typescript/no-unsafe-type-assertion -- only the types of the versions differ
const axiosOf17 = axios17 as unknown as typeof axios
const gotOf15 = got15 as unknown as typeof got
const gotOf14 = got14 as unknown as typeof got
const kyOf1 = ky1 as unknown as typeof ky
// oxlint-enable

const clients: readonly Client[] = [
  ...kyClients('ky 2', ky),
  ...kyClients('ky 1', kyOf1),
  ...axiosClients('axios', axios, 'http'),
  ...axiosClients('axios', axios, 'fetch'),
  ...axiosClients('axios 1.7', axiosOf17, 'http'),
  ...axiosClients('axios 1.7', axiosOf17, 'fetch'),
  {
    name: 'axios with a fetch',
    send: (scheme, url) =>
      thrown(
        axios.create({
          adapter: 'fetch',
          env: { fetch: authFetch(scheme, { rebuildRequests: true }) },
        })(axiosConfig(url)),
      ),
  },
  ...gotClients('got 16', got),
  ...gotClients('got 15', gotOf15),
  ...gotClients('got 14', gotOf14),
  {
    name: 'openapi-fetch',
    isBare: true,
    async send(scheme, url) {
      const { origin, pathname, search } = new URL(url)
      const api = createOpenApi<Record<string, never>>({ baseUrl: origin, ...authOpenApi(scheme) })
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a description that has no paths
      return api.PUT(`${pathname}${search}` as never, { ...call, bodySerializer: String } as never)
    },
  },
  {
    name: 'hey-api',
    isBare: true,
    async send(scheme, url) {
      const { origin, pathname, search } = new URL(url)
      const fetch = authFetch(scheme, { rebuildRequests: true })
      const api = createHeyApi({ baseUrl: origin, fetch })
      return api.request({ ...call, url: `${pathname}${search}`, bodySerializer: null })
    },
  },
  {
    name: 'ofetch',
    send: (scheme, url) => thrown(createFetch({ fetch: authFetch(scheme) })(url, call)),
  },
  {
    name: 'wretch',
    isBare: true,
    send: (scheme, url) =>
      thrown(
        wretch(url, { ...call })
          .fetchPolyfill(authFetch(scheme))
          .put()
          .res(),
      ),
  },
  {
    name: 'node-fetch',
    isBare: true,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- its types are its own
    send: (scheme, url) => authFetch(scheme, { fetch: nodeFetch as unknown as Fetch })(url, call),
  },
  {
    name: 'undici, read',
    isBare: true,
    async send(scheme, url) {
      const dispatcher = new Agent().compose(authInterceptor(scheme))
      const response = await undiciRequest(url, { ...call, dispatcher })
      return { ...response, body: await response.body.text() }
    },
  },
]

async function setUp({ auth, emulator: options, gateway, isFault }: Refusal) {
  const emulator = createEmulator({ clock: () => at, ...options })
  const server = await emulator.listen()
  if (isFault) emulator.fault({ path: '/V1/a%20b.csv', status: 403 })
  const front = gateway && (await startGateway(server.url, gateway))
  const { origin } = front?.url ?? server.url
  const sigv4 = createSigV4Auth({
    baseUrl: origin,
    region: 'us-east-1',
    credentials: apiKey,
    clock: () => at,
    ...auth,
  })
  const token = createTokenAuth({ baseUrl: origin, credentials: defaultUsers[0] })
  const selector = createServiceRoutes({ baseUrl: origin, token, sigv4 })
  const close = async (): Promise<void> => {
    await front?.close()
    await server.close()
  }
  return { sigv4, selector, url: `${origin}/V1/a%20b.csv?tag=a+b&b=2`, close, emulator }
}

/** A server that passes everything on, changed. */
function startGateway(upstream: URL, change: (passed: Passed) => void): Promise<LoopbackServer> {
  const server = createServer(async (incoming, outgoing) => {
    const { method, url: target = '', headers } = incoming
    const passed = { target, headers, body: await buffer(incoming) }
    change(passed)
    const { hostname, port } = upstream
    const options = { hostname, port, method, path: passed.target, headers }
    request(options, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(outgoing)
    }).end(passed.body)
  })
  return listenOnLoopback(server)
}

describe.each(refusals)('$name is told', (refusal) => {
  let world: Awaited<ReturnType<typeof setUp>>
  let expected: Diagnosis
  beforeAll(async () => {
    world = await setUp(refusal)
    const { sigv4, url } = world
    expected = await diagnose(sigv4, await authFetch(sigv4)(url, call), url, call)
  })
  afterAll(() => world.close())

  test(`as ${refusal.verdict}`, () => {
    expect(expected.verdict).toBe(refusal.verdict)
  })

  test.each(clients)('alike by $name', async ({ send, isBare }) => {
    const { sigv4, selector, url } = world
    for (const auth of [sigv4, selector]) {
      // node-fetch clones a response only once.
      const given = await send(sigv4, url)
      expect(await diagnose(auth, given, url, call)).toEqual(expected)
      const taken = isBare ? expected : await diagnose(auth, given)
      expect(taken).toEqual(expected)
    }
  })
})

/** What throws an error of its own, which our adapters can see. */
const hinting = clients.filter(
  ({ name }) => /^(?:ky|axios|got)/.test(name) && !/returned|with a fetch/.test(name),
)

describe.each([403, 400])('the error of a %d', (status) => {
  let world: Awaited<ReturnType<typeof setUp>>
  beforeAll(async () => {
    world = await setUp({ name: 'fault', verdict: 'unknown' })
    for (const path of ['/V1/a%20b.csv', '/user/groups']) world.emulator.fault({ path, status })
  })
  afterAll(() => world.close())

  test.each(hinting)('by $name names diagnose where the request was signed', async ({ send }) => {
    const { sigv4, selector, url } = world
    for (const auth of [sigv4, selector]) {
      const error = (await send(auth, url)) as Error
      expect((error.cause as Error).message).toContain(
        '`(await diagnose(auth, error)).summary` of @svc/auth-sigv4/diagnose says why',
      )
      expect(error.message).toContain(`${status}`)
    }
  })

  test.each(hinting)('by $name does not where a token was sent', async ({ send }) => {
    const { selector, url } = world
    const error = (await send(selector, new URL('/user/groups', url).href)) as Error
    expect(error.message).toContain(`${status}`)
    expect(error.cause).not.toBeInstanceOf(Error)
  })
})

test.each(clients.filter(({ isBare }) => isBare))(
  'what $name gives does not hold the whole request, and says so',
  async ({ send }) => {
    const { sigv4, url, close } = await setUp({ name: 'fault', verdict: 'unknown', isFault: true })
    const told = await diagnose(sigv4, await send(sigv4, url)).then(
      ({ summary }) => summary,
      (error: unknown) => String(error),
    )
    await close()
    // hey-api gives a request whose body is used up.
    expect(told).toMatch(/diagnose: input must be what was passed to fetch|pass a clone of it/)
  },
)

/** Requests as each client is asked for them, which it serialises itself. */
const content = { theme: 'dark', list: [1, 'ü'] }
const form = { theme: 'dark & light' }
const put = { method: 'PUT' } as const
type OwnWays = Readonly<Record<'json' | 'form', Send>>

const kyWays = (library: typeof ky): OwnWays => ({
  json: (scheme, url) => thrown(library.extend(authKy(scheme))(url, { ...put, json: content })),
  form: (scheme, url) =>
    thrown(library.extend(authKy(scheme))(url, { ...put, body: new URLSearchParams(form) })),
})

const axiosWays = (library: typeof axios, adapter: 'http' | 'fetch'): OwnWays => {
  const send = (scheme: AuthScheme, url: string, data: unknown) =>
    thrown(library.create(authAxios(scheme, { adapter, axios: library })).put(url, data))
  return {
    json: (scheme, url) => send(scheme, url, content),
    form: (scheme, url) => send(scheme, url, new URLSearchParams(form)),
  }
}

const gotWays = (library: typeof got): OwnWays => ({
  json: (scheme, url) => thrown(library.extend(authGot(scheme))(url, { ...put, json: content })),
  form: (scheme, url) => {
    const { origin, pathname, search } = new URL(url)
    const searchParams = new URLSearchParams(search)
    const api = library.extend({ prefixUrl: origin }, authGot(scheme))
    return thrown(api(pathname.slice(1), { ...put, form, searchParams }))
  },
})

const ofetchWays: OwnWays = {
  json: (scheme, url) =>
    thrown(createFetch({ fetch: authFetch(scheme) })(url, { ...put, body: content })),
  form: (scheme, url) => {
    const { origin, pathname, search } = new URL(url)
    const query = Object.fromEntries(new URLSearchParams(search))
    const options = { ...put, baseURL: origin, query, body: new URLSearchParams(form) }
    return thrown(createFetch({ fetch: authFetch(scheme) })(pathname, options))
  },
}

describe.each<[name: string, ways: OwnWays]>([
  ['ky 2', kyWays(ky)],
  ['ky 1', kyWays(kyOf1)],
  ['axios over http', axiosWays(axios, 'http')],
  ['axios over fetch', axiosWays(axios, 'fetch')],
  ['axios 1.7 over http', axiosWays(axiosOf17, 'http')],
  ['axios 1.7 over fetch', axiosWays(axiosOf17, 'fetch')],
  ['got 16', gotWays(got)],
  ['got 15', gotWays(gotOf15)],
  ['got 14', gotWays(gotOf14)],
  ['ofetch', ofetchWays],
])('the error of %s', (_name, ways) => {
  const refusal = refusals.find(({ name }) => name === 'a wrong secret')

  // A request that is not exactly the one that was sent would have another signature.
  test.each(['json', 'form'] as const)(
    'holds the request with its %s as it was sent',
    async (way) => {
      const { sigv4, url, close } = await setUp({ name: way, verdict: 'secret-or-key', ...refusal })
      const { verdict, differences } = await diagnose(sigv4, await ways[way](sigv4, url))
      await close()
      expect({ verdict, differences }).toEqual({ verdict: 'secret-or-key', differences: [] })
    },
  )

  test('holds the request that a redirect led to', async () => {
    const { sigv4, url, close, emulator } = await setUp({
      name: 'redirect',
      verdict: 'secret-or-key',
      ...refusal,
    })
    emulator.fault({ path: '/V1/moved', status: 307, headers: { location: url } })
    const moved = new URL('/V1/moved', url).href
    const { verdict, differences } = await diagnose(sigv4, await ways.json(sigv4, moved))
    await close()
    expect({ verdict, differences }).toEqual({ verdict: 'secret-or-key', differences: [] })
  })
})
