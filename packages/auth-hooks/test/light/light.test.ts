import { Readable } from 'node:stream'
import { AuthError } from '@svc/auth-hooks'
import { authFetch } from '@svc/auth-hooks/light'
import type { AuthScheme, Fetch } from '@svc/types'
import { describe, expect, test } from 'vitest'
import { recordingScheme, rejects401 } from '../support/schemes.ts'
import { serve } from '../support/server.ts'

const origin = 'https://search.example.com'
const fullOne = 'the full authFetch'

/** Sends by a fetch that counts. */
function counted(scheme: AuthScheme = recordingScheme([origin]), response = new Response('found')) {
  const calls: Parameters<Fetch>[] = []
  const fetch: Fetch = async (...given) => {
    calls.push(given)
    return response
  }
  return { calls, send: authFetch(scheme, { fetch }) }
}

async function failure(action: () => Promise<unknown>): Promise<unknown> {
  return action().then(
    () => undefined,
    (error: unknown) => error,
  )
}

class UnknownBody {
  readonly [Symbol.toStringTag] = 'UnknownBody'
}

test.each<[what: string, body: unknown, contentType: string | undefined]>([
  ['text', 'größer', 'text/plain;charset=UTF-8'],
  ['an empty text', '', 'text/plain;charset=UTF-8'],
  ['bytes', new TextEncoder().encode('größer'), undefined],
  ['a view of a part', new TextEncoder().encode('x größer x').subarray(2, 10), undefined],
  ['an ArrayBuffer', new TextEncoder().encode('größer').buffer, undefined],
  [
    'URLSearchParams',
    new URLSearchParams({ a: 'größer' }),
    'application/x-www-form-urlencoded;charset=UTF-8',
  ],
  ['a Blob', new Blob(['größer'], { type: 'text/html' }), 'text/html'],
  ['a Blob without a type', new Blob(['größer']), undefined],
])('%s is sent as a scheme saw it', async (_what, given, contentType) => {
  const server = await serve()
  const scheme = recordingScheme([server.origin])
  const response = await authFetch(scheme)(`${server.origin}/a?b#c`, {
    method: 'put',
    body: given as BodyInit,
  })
  expect(response.status).toBe(200)
  const [{ method, body, headers }] = scheme.seen as [(typeof scheme.seen)[number]]
  const [arrived] = server.arrived
  expect(method).toBe('PUT')
  expect(Buffer.from((await body?.bytes()) ?? [])).toEqual(arrived?.body)
  expect(body?.size).toBe(arrived?.body.length)
  expect([headers.get('content-type') ?? undefined, arrived?.headers['content-type']]).toEqual([
    contentType,
    contentType,
  ])
  expect(arrived?.headers['content-length']).toBe(`${body?.size}`)
  expect(arrived?.path).toBe('/a?b')
})

test('a header that fetch would drop is not shown to a scheme', async () => {
  const server = await serve()
  const scheme = recordingScheme([server.origin])
  const headers: [string, string][] = [
    ['__proto__', 'a'],
    ['x-b', 'c'],
  ]
  await authFetch(scheme)(server.origin, { headers })
  expect([...(scheme.seen[0]?.headers ?? [])]).toEqual([['x-b', 'c']])
  expect(server.arrived[0]?.headers).not.toHaveProperty('__proto__', 'a')
})

test('bytes are copied before a scheme is waited for', async () => {
  const server = await serve()
  const bytes = new TextEncoder().encode('as it was')
  const scheme: AuthScheme = {
    ...recordingScheme([server.origin]),
    async authorize() {
      bytes.fill(0)
      return { scheme: 'test', headers: [] }
    },
  }
  await authFetch(scheme)(server.origin, { method: 'POST', body: bytes })
  expect(String(server.arrived[0]?.body)).toBe('as it was')
})

describe('nothing is sent, and the full one named, for', () => {
  test.each<[what: string, code: string, input: () => [input: never, init?: RequestInit]]>([
    ['a Request', 'ERR_AUTH_REQUEST', () => [new Request(origin) as never]],
    [
      'a stream',
      'ERR_AUTH_BODY',
      () => [origin as never, { body: new ReadableStream(), duplex: 'half' } as RequestInit],
    ],
    [
      'a stream of Node',
      'ERR_AUTH_BODY',
      () => [origin as never, { body: Readable.from(['a']) as never }],
    ],
    ['a form', 'ERR_AUTH_BODY', () => [origin as never, { body: new FormData() }]],
    [
      'an unknown object',
      'ERR_AUTH_BODY',
      () => [origin as never, { body: new UnknownBody() as never }],
    ],
    ['a number', 'ERR_AUTH_BODY', () => [origin as never, { body: 7 as never }]],
    ['a relative URL', 'ERR_AUTH_URL', () => ['/V1/a' as never]],
  ])('%s', async (_what, code, input) => {
    const { calls, send } = counted()
    const error = await failure(async () => send(...input()))
    expect(error).toMatchObject({ code, message: expect.stringContaining(fullOne) })
    expect(calls).toEqual([])
  })

  test('a body that the scheme streams', async () => {
    const body = { replayable: false, chunks: async function* () {}, bytes: throwing }
    const { calls, send } = counted(recordingScheme([origin], () => ({ body })))
    const error = await failure(() => send(origin, { method: 'PUT', body: 'a' }))
    expect(error).toMatchObject({
      code: 'ERR_AUTH_BODY',
      message: expect.stringContaining(fullOne),
    })
    expect(calls).toEqual([])
  })
})

function throwing(): never {
  throw new Error('of the test')
}

describe('nothing is sent', () => {
  test.each<[what: string, url: string, init: RequestInit, expected: object]>([
    ['to another origin', 'https://other.example.com', {}, { code: 'ERR_AUTH_ORIGIN' }],
    ['to a URL with a password', 'https://a:b@search.example.com', {}, { code: 'ERR_AUTH_URL' }],
    ['by another protocol', 'ftp://search.example.com', {}, { code: 'ERR_AUTH_URL' }],
    ['in the mode no-cors', origin, { mode: 'no-cors' }, { code: 'ERR_AUTH_HEADER' }],
    ['with an integrity', origin, { integrity: 'sha256-a' }, { code: 'ERR_AUTH_REQUEST' }],
    [
      'with a length that is not the one of the body',
      origin,
      { method: 'PUT', body: 'text', headers: { 'content-length': '5' } },
      { code: 'ERR_AUTH_BODY' },
    ],
    [
      'with a length of no body',
      origin,
      { headers: { 'content-length': '5' } },
      { code: 'ERR_AUTH_BODY' },
    ],
    [
      'with a header that has a control character',
      origin,
      { headers: { 'x-a': 'secret\u0001' } },
      { code: 'ERR_AUTH_HEADER' },
    ],
    [
      'with a header that has a line break',
      origin,
      { headers: { 'x-a': 'secret\nb: c' } },
      { code: 'ERR_AUTH_HEADER' },
    ],
    [
      'with a header whose name is no token',
      origin,
      { headers: { 'secret a': 'b' } },
      { code: 'ERR_AUTH_HEADER' },
    ],
    [
      'with a method that is none',
      origin,
      { method: 'GET /' },
      { message: expect.stringContaining('method') },
    ],
    [
      'with a signal that is none',
      origin,
      { signal: {} as never },
      { message: expect.stringContaining('signal') },
    ],
    [
      'with a redirect mode that is none',
      origin,
      { redirect: 'no' as never },
      { message: expect.stringContaining('redirect') },
    ],
  ])('%s', async (_what, url, init, expected) => {
    const { calls, send } = counted()
    const error = await failure(() => send(url, init))
    expect(error).toMatchObject(expected)
    expect(String(error)).not.toContain('secret')
    expect(AuthError.is(error) && error.cause).toBeFalsy()
    expect(calls).toEqual([])
  })

  test('where a scheme gives a header that cannot be sent', async () => {
    const headers = [['x-credential', 'secret\n']] as const
    const { calls, send } = counted(
      recordingScheme([origin], () => ({
        headers: headers.map(([a, b]) => [a, `${b}b: c`] as const),
      })),
    )
    const error = await failure(() => send(origin))
    expect(error).toMatchObject({ code: 'ERR_AUTH_HEADER' })
    expect(String(error)).not.toContain('secret')
    expect(calls).toEqual([])
  })

  test('after an abort', async () => {
    const { calls, send } = counted()
    const reason = new Error('of the test')
    expect(await failure(() => send(origin, { signal: AbortSignal.abort(reason) }))).toBe(reason)
    expect(calls).toEqual([])
  })
})

describe('a redirect', () => {
  test.each([301, 302, 303, 307, 308])(
    'with %i is an error that has no credential elsewhere',
    async (status) => {
      const target = await serve()
      const server = await serve((_request, response) => {
        response.writeHead(status, { location: `${target.origin}/stolen` }).end()
      })
      const error = await failure(() => authFetch(recordingScheme([server.origin]))(server.origin))
      expect(error).toMatchObject({
        code: 'ERR_AUTH_REDIRECT',
        status,
        message: expect.stringContaining(fullOne),
      })
      expect([server.arrived.length, target.arrived.length]).toEqual([1, 0])
    },
  )

  test('is the caller’s where it asks for that', async () => {
    const server = await serve((_request, response) => {
      response.writeHead(302, { location: '/there' }).end()
    })
    const send = authFetch(recordingScheme([server.origin]))
    expect((await send(server.origin, { redirect: 'manual' })).status).toBe(302)
  })

  test.each<[what: string, response: object]>([
    ['that a page hides', { status: 0, type: 'opaqueredirect' }],
    ['that a fetch has followed', { status: 200, redirected: true, url: `${origin}/there` }],
    [
      'that a fetch has followed without a word',
      { status: 200, redirected: false, url: 'https://other.example.com/' },
    ],
  ])('%s is one', async (_what, response) => {
    const { send } = counted(undefined, {
      headers: new Headers(),
      body: null,
      ...response,
    } as Response)
    expect(await failure(() => send(origin))).toMatchObject({ code: 'ERR_AUTH_REDIRECT' })
  })
})

describe('an attempt', () => {
  test('is made again once for each reason, and its response closed', async () => {
    const server = await serve(({ count }, response) => {
      response.writeHead(count === 1 ? 401 : 200).end(`response ${count}`)
    })
    const scheme = recordingScheme([server.origin], () => ({ review: rejects401 }))
    const response = await authFetch(scheme)(server.origin, { method: 'POST', body: 'a' })
    expect(await response.text()).toBe('response 2')
    expect(
      scheme.seen.map(({ attempt, reason, previous }) => [attempt, reason, previous?.status]),
    ).toEqual([
      [1, 'initial', undefined],
      [2, 'rejected', 401],
    ])
    expect(
      server.arrived.map(({ body, headers }) => [String(body), headers['x-test-credential']]),
    ).toEqual([
      ['a', 'credential-of-the-test-1'],
      ['a', 'credential-of-the-test-2'],
    ])
  })

  test('that is refused twice is the response', async () => {
    const server = await serve((_request, response) => response.writeHead(401).end())
    const scheme = recordingScheme([server.origin], () => ({ review: rejects401 }))
    expect((await authFetch(scheme)(server.origin)).status).toBe(401)
    expect(server.arrived).toHaveLength(2)
  })

  test.each<[what: string, fetch: Fetch]>([
    ['throws', throwing],
    ['rejects', () => Promise.reject(new Error('of the test'))],
    ['resolves to nothing', async () => undefined as never],
  ])('whose fetch %s is abandoned', async (_what, fetch) => {
    let abandoned = 0
    const scheme = recordingScheme([origin], () => ({ abandon: () => void (abandoned += 1) }))
    expect(await failure(() => authFetch(scheme, { fetch })(origin))).toBeInstanceOf(Error)
    expect(abandoned).toBe(1)
  })

  test('ends with the signal where the fetch heeds none, and a late response is closed', async () => {
    let respond = (_response: Response): void => {}
    const caller = new AbortController()
    const reason = new Error('of the test')
    const fetch: Fetch = () => {
      queueMicrotask(() => caller.abort(reason))
      return new Promise((resolve) => (respond = resolve))
    }
    const send = authFetch(recordingScheme([origin]), { fetch })
    expect(await failure(() => send(origin, { signal: caller.signal }))).toBe(reason)
    let isClosed = false
    const body = new ReadableStream({ cancel: () => void (isClosed = true) })
    respond(new Response(body))
    await expect.poll(() => isClosed).toBe(true)
  })
})

test('the caller’s objects stay as they are', async () => {
  const { calls, send } = counted()
  const headers = new Headers({ a: 'b', host: 'other.example.com' })
  const init = Object.freeze({ method: 'PUT', headers, body: 'a', cache: 'no-store' as const })
  await send(new URL(origin), init)
  expect([...headers]).toEqual([
    ['a', 'b'],
    ['host', 'other.example.com'],
  ])
  const [, sent] = calls[0] ?? []
  expect(sent).toMatchObject({ method: 'PUT', cache: 'no-store', redirect: 'manual' })
  expect(Object.keys(Object.fromEntries(new Headers(sent?.headers)))).toEqual([
    'a',
    'content-type',
    'x-test-credential',
  ])
})

test.each<[what: string, make: () => unknown, message: string]>([
  ['a scheme', () => authFetch({} as never), 'scheme must be an AuthScheme'],
  [
    'a field of a scheme',
    () =>
      authFetch({
        ...recordingScheme([]),
        sensitiveHeaders: undefined,
        sensitive_headers: [],
      } as never),
    'did you mean sensitiveHeaders?',
  ],
  [
    'a fetch',
    () => authFetch(recordingScheme([]), { fetch: 7 as never }),
    'fetch must be a function',
  ],
  [
    'an option of the full one',
    () => authFetch(recordingScheme([]), { baseUrl: origin } as never),
    fullOne,
  ],
])('%s that is none is a TypeError', (_what, make, message) => {
  expect(make).toThrow(TypeError)
  expect(make).toThrow(message)
})
