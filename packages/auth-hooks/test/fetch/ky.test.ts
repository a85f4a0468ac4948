/* oxlint-disable typescript/no-unsafe-type-assertion -- what both majors of ky have in common is no type of theirs */
import { inspect } from 'node:util'
import { authKy, type KyAuth, type KyAuthHooks, kyAuthHooks } from '@svc/auth-hooks'
import type { AuthScheme, Fetch } from '@svc/types'
import ky from 'ky'
import ky1 from 'ky1'
import { authOpenApi } from '@svc/auth-hooks/openapi-fetch'
import { describe, expect, test } from 'vitest'
import { credential, recordingScheme, rejects401 } from '../support/schemes.ts'
import { type Arrived, redirectTo, serve } from '../support/server.ts'

/** The options that both majors of ky take in these tests. */
interface CommonOptions {
  prefix?: string
  fetch?: Fetch
  hooks?: object
  retry?:
    | {
        limit: number
        delay?: () => number
        methods?: ('post' | 'get')[]
        retryOnTimeout?: boolean
      }
    | number
  timeout?: number
  json?: unknown
  body?: string
  method?: string
  signal?: AbortSignal
  headers?: Record<string, string>
}
interface CommonKy {
  (path: string, options?: CommonOptions): Promise<Response>
  extend(options: CommonOptions | ((parent: CommonOptions) => CommonOptions)): CommonKy
}

// What the tests use of ky is the same in both, but for the name of `prefix`.
const majors: [string, 1 | 2, (prefix: string) => CommonKy][] = [
  ['ky 2', 2, (prefix) => ky.create({ prefix }) as unknown as CommonKy],
  ['ky 1', 1, (prefix) => ky1.create({ prefixUrl: prefix }) as unknown as CommonKy],
]
const ways: [string, (scheme: AuthScheme) => KyAuth | { hooks: KyAuthHooks }][] = [
  ['authKy', (scheme) => authKy(scheme)],
  ['kyAuthHooks', (scheme) => ({ hooks: kyAuthHooks(scheme) })],
]
const combinations = majors.flatMap(([major, number, create]) =>
  ways.map(([way, options]) => [`${way} with ${major}`, { number, create, options }] as const),
)
const retry = { limit: 2, delay: () => 0, methods: ['post' as const, 'get' as const] }

function credentials(arrived: readonly Arrived[]) {
  return arrived.map(({ headers }) => headers['x-test-credential'])
}

// ky 2 gives one state object, ky 1 the request and more.
function setOwnHeader(state: Request | { request: Request }): void {
  const request = 'request' in state ? state.request : state
  request.headers.set('x-own', '1')
}

async function failure(promise: Promise<unknown>): Promise<Error> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof Error)) throw new Error('an error was expected')
  return error
}

function shown(error: Error): string {
  // ky's errors hold a Request and a Response, and JSON shows own properties only.
  const { request, response } = error as { request?: Request; response?: Response }
  const held = [...(request?.headers ?? []), ...(response?.headers ?? [])]
  const inspected = inspect(error, { depth: 10, showHidden: true })
  return [inspected, JSON.stringify(error), JSON.stringify(held), error.stack].join()
}

describe.each(combinations)('%s', (_name, { number, create, options }) => {
  test('authorizes each of ky’s attempts anew, with the body', async () => {
    const server = await serve((request, response) => {
      response.statusCode = request.count < 3 ? 503 : 200
      response.end()
    })
    const scheme = recordingScheme([server.origin])
    const api = create(server.origin).extend(options(scheme))
    await api('path', { method: 'post', json: { a: 1 }, retry })

    expect(credentials(server.arrived)).toEqual([1, 2, 3].map((count) => `${credential}-${count}`))
    expect(server.arrived.map(({ body }) => body.toString())).toEqual(Array(3).fill('{"a":1}'))
    expect(server.arrived[2]?.path).toBe('/path')
    expect(server.arrived[2]?.headers).toMatchObject({
      'content-type': 'application/json',
      'content-length': '7',
    })
    expect(scheme.seen.every(({ headers }) => !headers.has('x-test-credential'))).toBe(true)
  })

  test.each([
    ['no retry of ky’s', 0],
    ['ky’s own retries', retry],
  ])('sends a refused request once more, with %s', async (_case, limit) => {
    const server = await serve((request, response) => {
      response.statusCode = request.count === 1 ? 401 : 200
      response.end('text')
    })
    const scheme = recordingScheme([server.origin], () => ({ review: rejects401 }))
    const api = create(server.origin).extend(options(scheme))
    const response = await api('path', { method: 'post', body: 'body', retry: limit })

    expect(await response.text()).toBe('text')
    expect(server.arrived.map(({ body }) => body.toString())).toEqual(['body', 'body'])
    expect(scheme.seen.map(({ reason }) => reason)).toEqual(['initial', 'rejected'])
    expect(credentials(server.arrived)).toEqual([`${credential}-1`, `${credential}-2`])
  })

  test('an error for a status holds no credential', async () => {
    const server = await serve((_, response) => response.writeHead(400).end('{}'))
    const api = create(server.origin).extend(options(recordingScheme([server.origin])))
    const error = await failure(api('path', { method: 'post', body: 'x' }))

    expect(error.name).toBe('HTTPError')
    expect(credentials(server.arrived)).toEqual([`${credential}-1`])
    expect(shown(error)).not.toContain(credential)
  })

  test('an error holds what the caller’s own header said in place of the credential', async () => {
    const server = await serve((_, response) => response.writeHead(418).end())
    const api = create(server.origin).extend(options(recordingScheme([server.origin])))
    const headers = { 'x-test-credential': 'own' }
    const error = await failure(api.extend({ headers })('path', { retry: 0 }))
    expect(credentials(server.arrived)).toEqual([`${credential}-1`])
    const { request } = error as Error & { request: Request }
    expect(request.headers.get('x-test-credential')).toBe('own')
  })

  test('an error after retries holds no credential', async () => {
    const server = await serve((_, response) => response.writeHead(503).end())
    const api = create(server.origin).extend(options(recordingScheme([server.origin])))
    const error = await failure(api('path', { retry }))

    expect(server.arrived).toHaveLength(3)
    expect(shown(error)).not.toContain(credential)
  })

  test('a timeout holds no credential', async () => {
    const server = await serve(() => {})
    const api = create(server.origin).extend(options(recordingScheme([server.origin])))
    const error = await failure(api('path', { timeout: 50, retry: 0 }))

    expect(error.name).toBe('TimeoutError')
    // ky 1 runs no hook for this error, so that what hooks added stays on its request.
    if (number === 1 && !('fetch' in options(recordingScheme([])))) return
    expect(shown(error)).not.toContain(credential)
  })

  test('sends no credential to where a redirect leads', async () => {
    const other = await serve()
    const server = await serve((_, response) => redirectTo(response, 302, other.origin))
    const api = create(server.origin).extend(options(recordingScheme([server.origin])))
    await failure(api('path', { retry: 0 }))

    expect(other.arrived).toEqual([])
  })

  test('sees what the user’s hooks changed before', async () => {
    const server = await serve()
    const scheme = recordingScheme([server.origin])
    const api = create(server.origin)
      .extend({ hooks: { beforeRequest: [setOwnHeader] } })
      .extend(options(scheme))
    await api('path')

    expect(scheme.seen[0]?.headers.get('x-own')).toBe('1')
    expect(server.arrived[0]?.headers['x-own']).toBe('1')
  })
})

describe.each(majors)('authKy with %s', (_name, _number, create) => {
  test('logs in ahead of time, which the timeout does not count', async () => {
    const server = await serve()
    let isReady = false
    const scheme: AuthScheme = {
      ...recordingScheme([server.origin]),
      prepare: async () => {
        // Longer than ky's timeout is.
        const until = performance.now() + 600
        while (performance.now() < until) await new Promise(setImmediate)
        isReady = true
      },
      authorize: () => {
        if (!isReady) throw new Error('not prepared')
        return { scheme: 'x', headers: [] }
      },
    }
    const response = await create(server.origin).extend(authKy(scheme))('path', { timeout: 400 })
    expect(response.status).toBe(200)
  })

  test('an error of prepare is left to the request', async () => {
    const server = await serve()
    const scheme: AuthScheme = {
      ...recordingScheme([server.origin]),
      prepare: () => Promise.reject(new Error('of prepare')),
    }
    const response = await create(server.origin).extend(authKy(scheme))('path')
    expect(response.status).toBe(200)
  })

  test('keeps the fetch that an instance has, where it is handed on', async () => {
    const server = await serve()
    let calls = 0
    const own: Fetch = (input, init) => {
      calls += 1
      return fetch(input, init)
    }
    const api = create(server.origin)
      .extend({ fetch: own })
      .extend((parent) =>
        authKy(recordingScheme([server.origin]), parent.fetch ? { fetch: parent.fetch } : {}),
      )
    await api('path')

    expect(calls).toBe(1)
    expect(credentials(server.arrived)).toEqual([`${credential}-1`])
  })
})

test('authKy follows a redirect within the covered origins, kyAuthHooks leaves it to ky’s error', async () => {
  const server = await serve((request, response) => {
    if (request.path === '/end') response.end('end')
    else redirectTo(response, 302, '/end')
  })
  const scheme = recordingScheme([server.origin])
  const api = ky.create({ prefix: server.origin })
  expect(await api.extend(authKy(scheme)).get('start').text()).toBe('end')
  const error = await failure(api.extend({ hooks: kyAuthHooks(scheme) }).get('start', { retry: 0 }))
  expect(error).toMatchObject({ name: 'HTTPError', response: { status: 302 } })
})

test.each(majors)(
  'kyAuthHooks with %s heeds an abort while a review is pending',
  async (_name, _number, create) => {
    const server = await serve((_request, response) => response.end('ok'))
    const caller = new AbortController()
    const pending = new Promise<never>(() => {})
    const review = () => (caller.abort(new Error('of the caller')), pending)
    const api = create(server.origin).extend({
      hooks: kyAuthHooks(recordingScheme([server.origin], () => ({ review }))),
    })
    const sent = api('x', { signal: caller.signal, retry: { limit: 0 } })
    await expect(sent).rejects.toThrow('of the caller')
  },
)

test('a wrong option is named with the function that was called', () => {
  const scheme = recordingScheme([])
  const wrong = { redirect: 'manual' } as never
  expect(() => authKy(scheme, wrong)).toThrow(/^\[@svc\/auth-hooks\] authKy: redirect must be/)
  expect(() => authOpenApi(scheme, wrong)).toThrow(/^\[@svc\/auth-hooks\] authOpenApi: redirect/)
})

test('with ky 1, a request whose hook of ours never ran is an error, and a response of a hook is none', async () => {
  const server = await serve()
  const scheme = recordingScheme([server.origin])
  const hooks = kyAuthHooks(scheme)
  const first = ky1.create({
    retry: 0,
    hooks: { beforeRequest: [(request) => new Request(request, { headers: { 'x-own': '1' } })] },
  })
  const error: unknown = await first
    .extend({ hooks })
    .get(server.origin)
    .catch((reason: unknown) => reason)
  expect(error).toMatchObject({ code: 'ERR_AUTH_REQUEST' })
  expect(String(error)).toContain('put kyAuthHooks first')

  const mocked = ky1.create({ hooks: { beforeRequest: [() => new Response('mocked')] } })
  expect(await mocked.extend({ hooks }).get(server.origin).text()).toBe('mocked')
})

describe.each(majors)('kyAuthHooks with %s', (_name, number, create) => {
  test.each<[what: string, status: number | undefined, attempts: number]>([
    ['gets no response', undefined, 2],
    ['gets a response', 200, 1],
    ['is rejected and sent again', 401, 2],
    ['gets an error', 500, 2],
  ])(
    'tells the scheme once of the end of each attempt that %s',
    async (_what, status, attempts) => {
      const ends: number[] = []
      const scheme = recordingScheme(['https://h.example'], () => {
        const own = ends.push(0) - 1
        const end = (): void => void (ends[own] = Number(ends[own]) + 1)
        return {
          review(head) {
            end()
            return rejects401(head)
          },
          abandon: end,
        }
      })
      const fetch: Fetch = async () => {
        if (status === undefined) throw new TypeError('fetch failed')
        return new Response('', { status })
      }
      const hooks = kyAuthHooks(scheme)
      const api = create('https://h.example').extend({
        fetch,
        hooks,
        retry: { ...retry, limit: 1 },
      })
      await api('user/groups').catch(() => {})
      // For a last attempt that gets no response, ky 1 runs no hook.
      const last = number === 1 && status === undefined ? 0 : 1
      expect(ends).toEqual(attempts === 1 ? [1] : [1, last])
    },
  )
})

test.each(combinations)('a timeout is retried by %s', async (_name, { create, options }) => {
  const server = await serve(({ count }, response) => {
    // The first one stays without a response.
    if (count > 1) response.end('in time')
  })
  const api = create(server.origin).extend(options(recordingScheme([server.origin])))
  const response = await api('V1/a', {
    method: 'post',
    body: 'text',
    timeout: 200,
    retry: { ...retry, retryOnTimeout: true },
  })
  expect(await response.text()).toBe('in time')
  expect(server.arrived.map(({ body }) => String(body))).toEqual(['text', 'text'])
  expect(credentials(server.arrived)).toEqual([`${credential}-1`, `${credential}-2`])
})

test.each(combinations)(
  'an abort before a retry sends nothing more with %s',
  async (_name, { create, options }) => {
    const caller = new AbortController()
    const server = await serve((_request, response) => response.writeHead(503).end())
    const api = create(server.origin).extend(options(recordingScheme([server.origin])))
    const delay = (): number => {
      caller.abort()
      return 0
    }
    const sent = api('V1/a', { signal: caller.signal, retry: { ...retry, delay } })
    await expect(sent).rejects.toMatchObject({ name: 'AbortError' })
    expect(server.arrived).toHaveLength(1)
  },
)

describe.each(majors)(
  'the options of authKy in the place of the hooks of %s',
  (_major, _number, create) => {
    test('are a TypeError, since every request would leave without its credential', () => {
      const hooks = authKy(recordingScheme([]))
      expect(() => create('https://search.example.com').extend({ hooks })).toThrow(
        new TypeError(
          '[@svc/auth-hooks] authKy: it returns options, not hooks: ky.extend(authKy(auth))',
        ),
      )
      expect(() => create('https://search.example.com').extend({ ...hooks })).not.toThrow()
    })
  },
)

test('kyAuthHooks sends a request once more for each reason, as authFetch does', async () => {
  const server = await serve(({ count }, response) => {
    response.statusCode = count < 3 ? 401 : 200
    response.end()
  })
  const scheme = recordingScheme([server.origin], ({ attempt }) => ({
    review: ({ status }) => (status === 401 ? `reason ${attempt}` : undefined),
  }))
  const response = await ky.extend({ hooks: kyAuthHooks(scheme) })(server.origin)
  expect(response.status).toBe(200)
  expect(credentials(server.arrived)).toEqual([1, 2, 3].map((count) => `${credential}-${count}`))
})

test('kyAuthHooks gives back the authorization of a repeat whose redirect was followed', async () => {
  const server = await serve(({ path, count }, response) => {
    if (path === '/elsewhere') response.end()
    else if (count > 1) redirectTo(response, 302, '/elsewhere')
    else response.writeHead(401).end()
  })
  let open = 0
  const scheme = recordingScheme([server.origin], () => {
    open += 1
    return {
      abandon: () => void (open -= 1),
      review: (head) => {
        open -= 1
        return rejects401(head)
      },
    }
  })
  const following: Fetch = (input, init) => fetch(input, { ...init, redirect: 'follow' })
  const hooks = kyAuthHooks(scheme, { fetch: following })
  await expect(ky.extend({ hooks, retry: 0 })(server.origin)).rejects.toMatchObject({
    code: 'ERR_AUTH_REDIRECT',
  })
  expect(open).toBe(0)
})
