import { fileURLToPath } from 'node:url'
import {
  type AuthScheme,
  authFetch,
  authKy,
  type AuthFetchOptions,
  kyAuthHooks,
} from '@svc/auth-hooks'
import { authOpenApi } from '@svc/auth-hooks/openapi-fetch'
import ky from 'ky'
import ky1 from 'ky1'
import createClient from 'openapi-fetch'
import { Agent, Request as RequestOf7 } from 'undici7'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  deno,
  denoRun,
  hasDeno,
  hasNode22,
  node22,
} from '../../../../tests/support/other-runtimes.ts'
import { run } from '../../../../tests/support/run-program.ts'
import { recordingScheme } from '../support/schemes.ts'
import { redirectTo, serve } from '../support/server.ts'

type Init = RequestInit & { dispatcher?: unknown }

/** Node 20 and 22 keep a dispatcher where it can be seen. */
const isHidden = Number.parseInt(process.versions.node) >= 24

/** A dispatcher that counts what it was asked for, as a guard or a proxy is asked. */
function counting() {
  const asked: string[] = []
  const agent = new Agent()
  onTestFinished(() => agent.close())
  const dispatcher = agent.compose((dispatch) => (options, handler) => {
    asked.push(options.path)
    return dispatch(options, handler)
  })
  return { dispatcher, asked }
}

/** A server that verifies the URL as it was signed, if it is told to. */
async function service({ verifies = 'parsed' }: { verifies?: 'parsed' | 'raw' } = {}) {
  const server = await serve(({ path, headers }, response) => {
    const signed = headers['x-signed']
    const isRight = verifies === 'raw' ? signed === path : signed === canonical(path)
    if (!isRight) response.writeHead(403).end('<Error><Code>SignatureDoesNotMatch</Code></Error>')
    else if (path.startsWith('/redirect')) redirectTo(response, 307, '/end')
    else response.end(path)
  })
  const scheme: AuthScheme = {
    ...recordingScheme([server.origin]),
    authorize({ url }) {
      const path = canonical(url.pathname + url.search)
      return {
        scheme: 'signing',
        headers: [['x-signed', path]],
        url: url.origin + path,
        mismatchCode: 'SignatureDoesNotMatch',
      }
    },
  }
  return { server, scheme, url: server.origin }
}

/** A server that rejects the first request, and a scheme that asks for another attempt then. */
async function replaying() {
  let isFirst = true
  const server = await serve(({ path }, response) => {
    if (isFirst) response.writeHead(401)
    isFirst = false
    response.end(path)
  })
  const scheme: AuthScheme = {
    ...recordingScheme([server.origin]),
    authorize: ({ url }) => ({
      scheme: 'signing',
      headers: [],
      url: url.origin + canonical(url.pathname),
      review: ({ status }) => (status === 401 ? 'rejected' : undefined),
    }),
  }
  return { scheme, url: server.origin }
}

function canonical(path: string): string {
  return path.replaceAll('@', '%40').replaceAll("'", '%27')
}

const everyday = "/a@b's"

describe('a dispatcher inside of a Request is used', () => {
  type Make = (url: string, init: Init) => Parameters<typeof fetch>
  test.each<[name: string, parameters: Make]>([
    ['in a Request', (url, init) => [new Request(url, init)]],
    ['in an init beside a Request', (url, init) => [new Request(url), init]],
    ['in an init', (url, init) => [url, init]],
  ])('%s, though its URL is signed in another form', async (_name, parameters) => {
    const { scheme, url } = await service()
    const { dispatcher, asked } = counting()
    const response = await authFetch(scheme)(...parameters(url + everyday, { dispatcher }))
    expect(response.status).toBe(200)
    expect(asked).toHaveLength(1)
  })

  test.each([
    ['text', 'text'],
    ['a large Blob', new Blob(['x'.repeat(2 * 1024 * 1024)])],
  ])('with a body: %s', async (_name, body) => {
    const { scheme, url, server } = await service()
    const { dispatcher, asked } = counting()
    const init: Init = { method: 'PUT', body, dispatcher }
    expect((await authFetch(scheme)(new Request(url + everyday, init))).status).toBe(200)
    expect(asked).toHaveLength(1)
    expect(server.arrived[0]?.body.byteLength).toBe(new Blob([body]).size)
  })

  test('in a Request of undici itself', async () => {
    const { scheme, url } = await service()
    const { dispatcher, asked } = counting()
    const undici = await import('undici7')
    const send = authFetch(scheme, { fetch: undici.fetch as never })
    const request = new RequestOf7(url + everyday, { dispatcher })
    expect((await send(request as never)).status).toBe(200)
    expect(asked).toHaveLength(1)
  })
})

describe('a bare Request', () => {
  test.runIf(isHidden)(
    'is sent as it stands, which every verifier that parses accepts',
    async () => {
      const { scheme, url, server } = await service()
      expect((await authFetch(scheme)(new Request(url + everyday))).status).toBe(200)
      expect(server.arrived.map(({ path }) => path)).toEqual([everyday])
    },
  )

  test('is sent in the signed form where it may be made anew', async () => {
    const { scheme, url, server } = await service({ verifies: 'raw' })
    const send = authFetch(scheme, { rebuildRequests: true })
    expect((await send(new Request(url + everyday))).status).toBe(200)
    expect(server.arrived.map(({ path }) => path)).toEqual([canonical(everyday)])
  })

  test('whose URL is signed as it stands is refused by the service, and not by us', async () => {
    const { scheme, url } = await service({ verifies: 'raw' })
    const lying: AuthScheme = {
      ...scheme,
      authorize: ({ url: { href } }) => ({
        scheme: 'lying',
        headers: [['x-signed', 'wrong']],
        url: href,
        mismatchCode: 'SignatureDoesNotMatch',
      }),
    }
    expect((await authFetch(lying)(new Request(`${url}/a`))).status).toBe(403)
  })

  test.runIf(isHidden)(
    'of a scheme that puts its credential into the URL is not sent without it',
    async () => {
      const { server, url } = await service()
      const inUrl: AuthScheme = {
        name: 'in-url',
        covers: () => true,
        authorize: (request) => ({
          scheme: 'in-url',
          headers: [],
          url: `${request.url.href}?key=secret`,
        }),
      }
      await expect(authFetch(inUrl)(new Request(`${url}/a`))).rejects.toMatchObject({
        code: 'ERR_AUTH_REQUEST',
      })
      expect(server.arrived).toEqual([])
    },
  )

  const redirected: [name: string, init: Init, options: AuthFetchOptions][] = [
    ['with rebuildRequests', {}, { rebuildRequests: true }],
    ['with a dispatcher in its init', { dispatcher: undefined }, {}],
  ]
  test.each(redirected)('follows a redirect %s', async (_name, init, options) => {
    const { scheme, url } = await service()
    const response = await authFetch(scheme, options)(new Request(`${url}/redirect`), init)
    expect(await response.text()).toBe('/end')
  })

  test.runIf(isHidden)('does not follow a redirect otherwise', async () => {
    const { scheme, url, server } = await service()
    const sent = authFetch(scheme)(new Request(`${url}/redirect`))
    await expect(sent).rejects.toMatchObject({ code: 'ERR_AUTH_REQUEST' })
    expect(server.arrived).toHaveLength(1)
  })

  test('takes the dispatcher of its init to the target of a redirect', async () => {
    const { scheme, url } = await service()
    const { dispatcher, asked } = counting()
    const init: Init = { dispatcher }
    await authFetch(scheme)(new Request(`${url}/redirect`), init)
    expect(asked).toEqual(['/redirect', '/end'])
  })

  test('that is made anew is sent through the dispatcher of the inner fetch', async () => {
    const { scheme, url } = await service({ verifies: 'raw' })
    const { dispatcher, asked } = counting()
    const inner: typeof fetch = (input, init) => {
      const guarded: Init = { ...init, dispatcher }
      return fetch(input, guarded)
    }
    const send = authFetch(scheme, { fetch: inner, rebuildRequests: true })
    await send(new Request(url + everyday))
    await send(new Request(`${url}/redirect`))
    expect(asked).toEqual([canonical(everyday), '/redirect', '/end'])
  })

  test.skipIf(!hasNode22())(
    'takes its own to the target of a redirect where it can be seen, on Node 22',
    async () => {
      const { url } = await service()
      const script = fileURLToPath(new URL('../fixtures/visible-dispatcher.ts', import.meta.url))
      const flags = ['--conditions=@svc/source', '--disable-warning=ExperimentalWarning']
      const { stdout, stderr } = await run(node22, [...flags, script, url])
      expect([stderr, JSON.parse(stdout)]).toEqual(['', ['/redirect', '/end']])
    },
  )
})

test.skipIf(!hasDeno())('a client inside of a Request is used, in Deno', async () => {
  const script = fileURLToPath(new URL('../fixtures/deno-client.ts', import.meta.url))
  const flags = ['--conditions=@svc/source', '--no-check', '--allow-net', '--allow-env']
  const { stdout, stderr } = await run(deno, [...denoRun, ...flags, script])
  const signed = '/a%40b'
  expect([stderr, JSON.parse(stdout)]).toEqual([
    '',
    ['/a@b', signed, signed, signed, 'ERR_AUTH_REQUEST', '/end', '/end', '/end'],
  ])
})

describe('openapi-fetch', () => {
  const options = { parseAs: 'text' } as const
  type Paths = Record<string, { get: object }>

  test.each([
    ['given to the client', (dispatcher: object) => [{ dispatcher }, {}]],
    ['given to a call', (dispatcher: object) => [{}, { dispatcher }]],
    ['given beside the requests', (dispatcher: object) => [{ requestInitExt: { dispatcher } }, {}]],
  ])('uses a dispatcher %s, in the signed form and on a redirect', async (_name, give) => {
    const { scheme, url } = await service({ verifies: 'raw' })
    const { dispatcher, asked } = counting()
    const [ofClient, ofCall] = give(dispatcher)
    const client = createClient<Paths>({ baseUrl: url, ...authOpenApi(scheme), ...ofClient })
    expect((await client.GET(everyday, { ...options, ...ofCall })).response.status).toBe(200)
    expect((await client.GET('/redirect', { ...options, ...ofCall })).response.status).toBe(200)
    expect(asked).toEqual([canonical(everyday), '/redirect', '/end'])
  })

  test('sends the signed form and follows redirects without one', async () => {
    const { scheme, url, server } = await service({ verifies: 'raw' })
    const client = createClient<Paths>({ baseUrl: url, ...authOpenApi(scheme) })
    await client.GET(everyday, options)
    await client.GET('/redirect', options)
    expect(server.arrived.map(({ path }) => path)).toEqual([
      canonical(everyday),
      '/redirect',
      '/end',
    ])
  })

  test('takes what middleware makes, be it of the global class', async () => {
    const { scheme, url } = await service()
    const { dispatcher, asked } = counting()
    const client = createClient<Paths>({ baseUrl: url, ...authOpenApi(scheme) })
    client.use({
      onRequest: ({ request }) =>
        new Request(request, { headers: { 'x-own': '1' }, dispatcher } as Init),
    })
    expect((await client.GET(everyday, options)).response.status).toBe(200)
    expect(asked).toHaveLength(1)
  })
})

describe.each([
  ['ky 2', ky],
  ['ky 1', ky1 as unknown as typeof ky],
])('%s', (_name, client) => {
  test('uses its dispatcher, in the signed form and on a redirect', async () => {
    const { scheme, url } = await service({ verifies: 'raw' })
    const { dispatcher, asked } = counting()
    const api = client.extend({ ...authKy(scheme), dispatcher } as never)
    await api.get(url + everyday)
    await api.get(`${url}/redirect`)
    expect(asked).toEqual([canonical(everyday), '/redirect', '/end'])
  })

  test('with a bare authFetch sends its requests as they stand', async () => {
    const { scheme, url } = await service()
    const { dispatcher, asked } = counting()
    const api = client.create({ fetch: authFetch(scheme), dispatcher } as never)
    expect((await api.get(url + everyday)).status).toBe(200)
    expect((await client.create({ fetch: authFetch(scheme) }).get(url + everyday)).status).toBe(200)
    expect(asked).toHaveLength(1)
  })

  test.each([
    ['an everyday URL', everyday],
    ['a URL that is signed as it stands', '/a'],
  ])('through kyAuthHooks uses its dispatcher for a replay: %s', async (_url, path) => {
    const { scheme, url } = await replaying()
    const { dispatcher, asked } = counting()
    const hooks = kyAuthHooks(scheme)
    const response = await client.create({ hooks, retry: 0, dispatcher } as never).get(url + path)
    expect(await response.text()).toBe(canonical(path))
    expect(asked).toEqual([canonical(path), canonical(path)])
  })

  test('through kyAuthHooks replays with all that it hands on to its fetch', async () => {
    const { scheme, url } = await replaying()
    const given: (RequestInit | undefined)[] = []
    const inner: typeof fetch = (input, init) => {
      given.push(init)
      return fetch(input, init)
    }
    const own = { proxy: 'http://proxy.example', tls: { ca: 'a certificate' } }
    const hooks = kyAuthHooks(scheme, { fetch: inner })
    const api = client.create({ hooks, fetch: inner, retry: 0, ...own })
    await api.post(url + everyday, { body: 'text' })
    expect(given).toEqual([expect.objectContaining(own), expect.objectContaining(own)])
  })
})

test.each([null, 1, 'yes', {}])('rebuildRequests must not be %j', (rebuildRequests) => {
  const make = () => authFetch(recordingScheme([]), { rebuildRequests: rebuildRequests as never })
  expect(make).toThrow(/\[@svc\/auth-hooks\] authFetch: rebuildRequests must be true or false/)
})
