import { type AuthScheme, authFetch, authKy, type Fetch } from '@svc/auth-hooks'
import { authOpenApi } from '@svc/auth-hooks/openapi-fetch'
import ky from 'ky'
import nodeFetch, {
  Blob as PackagedBlob,
  File as PackagedFile,
  FormData as PackagedForm,
  Request as PackagedRequest,
} from 'node-fetch'
import createClient from 'openapi-fetch'
// @ts-expect-error -- the types of version 2 are a package of their own
import nodeFetch2 from 'node-fetch2'
import { describe, expect, test } from 'vitest'
import { recordingScheme, rejects401 } from '../support/schemes.ts'
import { serve } from '../support/server.ts'
import { streamFrom, type StreamingInit } from '../support/streams.ts'

// They take what they know of `fetch`, and their types say so.
const fetches: [name: string, fetch: Fetch][] = [
  ['node-fetch 3', nodeFetch as unknown as Fetch],
  ['node-fetch 2', nodeFetch2],
]

const mib = 1024 * 1024
const large = 'x'.repeat(mib + 1)

function put(body: unknown, headers: Record<string, string> = {}): StreamingInit {
  return { method: 'PUT', body: body as BodyInit, headers, duplex: 'half' }
}

const bodies: [name: string, body: () => BodyInit, only?: string][] = [
  ['text', () => large],
  ['bytes', () => Buffer.from(large)],
  ['parameters', () => new URLSearchParams({ a: large })],
  // node-fetch 2 takes a Blob of its own only.
  ['a Blob', () => new Blob([large]), 'node-fetch 3'],
  ['a file', () => new File([large], 'a'), 'node-fetch 3'],
]

describe.each(fetches)('%s as the inner fetch', (name, fetch) => {
  test.each(bodies.filter(([, , only]) => !only || only === name))(
    'is given %s of more than 1 MiB as it came, and once more',
    async (_name, body) => {
      const server = await serve(({ count }, response) => {
        response.statusCode = count === 1 ? 401 : 200
        response.end()
      })
      const scheme = recordingScheme([server.origin], () => ({ review: rejects401 }))
      const response = await authFetch(scheme, { fetch })(server.origin, put(body()))
      expect(response.status).toBe(200)
      const plain = Buffer.from(await new Response(body()).arrayBuffer())
      expect(server.arrived.map((arrived) => arrived.body.equals(plain))).toEqual([true, true])
      const lengths = server.arrived.map(({ headers }) => headers['content-length'])
      expect(lengths).toEqual([`${plain.byteLength}`, `${plain.byteLength}`])
    },
  )

  test.each(['chunked', 'gzip'])('frames a body once, though it was to be %s', async (encoding) => {
    const server = await serve()
    const send = authFetch(recordingScheme([server.origin]), { fetch })
    await send(server.origin, put('text', { 'Transfer-Encoding': encoding }))
    const [arrived] = server.arrived
    expect(arrived?.headers).toMatchObject({ 'content-length': '4' })
    expect(arrived?.headers).not.toHaveProperty('transfer-encoding')
  })

  const wrapping: AuthScheme = {
    ...recordingScheme([]),
    covers: () => true,
    authorize: ({ body }) => ({
      scheme: 'wrapping',
      headers: [],
      ...(body && { body: { ...body, inMemory: false } }),
    }),
  }
  test.each([
    ['a stream', put(streamFrom(Uint8Array.of(1))), recordingScheme(['*'])],
    [
      'a stream of known length',
      put(streamFrom(Uint8Array.of(1)), { 'content-length': '1' }),
      recordingScheme([]),
    ],
    ['what a scheme wraps', put('text'), wrapping],
  ])(
    'is not given %s, which it would send as the text of an object',
    async (_name, init, scheme) => {
      const server = await serve()
      const send = authFetch({ ...scheme, covers: () => true }, { fetch })
      await expect(send(server.origin, init)).rejects.toMatchObject({ code: 'ERR_AUTH_BODY' })
      expect(server.arrived).toEqual([])
    },
  )
})

test('a refusal that node-fetch 3 is given is ended, though its body is a stream of Node’s', async () => {
  let ended = (): void => {}
  const end = new Promise<void>((resolve) => (ended = resolve))
  const server = await serve(({ count }, response) => {
    if (count > 1) response.end()
    else response.on('close', ended).writeHead(401).write('never the end')
  })
  const scheme = recordingScheme([server.origin], () => ({ review: rejects401 }))
  const fetch = nodeFetch as unknown as Fetch
  expect((await authFetch(scheme, { fetch })(server.origin)).status).toBe(200)
  await end
})

test('node-fetch 3 is given a form of more than 1 MiB with its boundary', async () => {
  const server = await serve()
  const form = new FormData()
  form.append('file', new File([large], 'a.txt'))
  const fetch = nodeFetch as unknown as Fetch
  await authFetch(recordingScheme([server.origin]), { fetch })(server.origin, put(form))
  const [arrived] = server.arrived
  const headers = { 'content-type': String(arrived?.headers['content-type']) }
  const sent = await new Response(new Uint8Array(arrived?.body ?? []), { headers }).formData()
  expect((sent.get('file') as File).size).toBe(mib + 1)
})

describe.each([
  ['node-fetch 3', nodeFetch as unknown as Fetch],
  ['the fetch of Node', undefined],
])('%s, given what a package made', (_name, fetch) => {
  test.each([
    ['a small file', 'the bytes of a file'],
    ['a file as long as the text of an object', 'x'.repeat('[object File]'.length)],
    ['a large file', large],
  ])('sends the bytes of %s in a form', async (_size, text) => {
    const server = await serve(({ count }, response) => {
      response.statusCode = count === 1 ? 401 : 200
      response.end()
    })
    const form = new PackagedForm()
    form.append('name', 'ä')
    form.append('file', new PackagedFile([text], 'a.txt'))
    form.append('other', new File(['other'], 'b.txt'))
    const scheme = recordingScheme([server.origin], () => ({ review: rejects401 }))
    await authFetch(scheme, { fetch })(server.origin, put(form))
    expect(server.arrived).toHaveLength(2)
    for (const arrived of server.arrived) {
      const headers = { 'content-type': String(arrived.headers['content-type']) }
      const sent = await new Response(new Uint8Array(arrived.body), { headers }).formData()
      expect(sent.get('name')).toBe('ä')
      expect(await (sent.get('file') as File).text()).toBe(text)
      expect(await (sent.get('other') as File).text()).toBe('other')
      expect(arrived.headers['content-length']).toBe(`${arrived.body.byteLength}`)
      const hashed = await scheme.seen[0]?.body?.bytes()
      expect(Buffer.from(hashed ?? []).equals(arrived.body)).toBe(true)
    }
  })

  test.each([
    ['small', 'the bytes of a Blob'],
    ['large', large],
  ])('sends the bytes of a %s Blob', async (_size, text) => {
    const server = await serve()
    const blob = new PackagedBlob([text], { type: 'text/plain' })
    await authFetch(recordingScheme([server.origin]), { fetch })(server.origin, put(blob))
    const [arrived] = server.arrived
    expect(arrived?.body.toString()).toBe(text)
    expect(arrived?.headers['content-length']).toBe(`${text.length}`)
    expect(arrived?.headers['content-type']).toBe('text/plain')
  })

  test.each(['covered', 'elsewhere'])(
    'says of a Request with a body to a URL that is %s why it is not sent',
    async (where) => {
      const server = await serve()
      const origin = where === 'covered' ? server.origin : 'https://a.example'
      const request = new PackagedRequest(origin, { method: 'PUT', body: 'text' })
      const send = authFetch(recordingScheme([server.origin]), { fetch })
      await expect(send(request as unknown as Request)).rejects.toMatchObject({
        code: where === 'covered' ? 'ERR_AUTH_BODY' : 'ERR_AUTH_ORIGIN',
      })
      expect(server.arrived).toEqual([])
    },
  )
})

test.each([
  ['nothing', undefined],
  ['null', null],
  ['a text', 'ok'],
])(
  'an inner fetch that resolves to %s is told so, and the credential is given back',
  async (_name, given) => {
    let abandoned = 0
    const scheme = recordingScheme(['https://a.example'], () => ({
      abandon: () => void (abandoned += 1),
    }))
    const send = authFetch(scheme, { fetch: async () => given as never })
    await expect(send('https://a.example')).rejects.toThrow(
      new TypeError('[@svc/auth-hooks] authFetch: fetch must resolve to a Response'),
    )
    expect(abandoned).toBe(1)
  },
)

test('an inner fetch that throws at once ends the body', async () => {
  let cancelled = 0
  const body = new ReadableStream({ cancel: () => void (cancelled += 1) })
  const send = authFetch(recordingScheme(['https://a.example']), {
    fetch() {
      throw new TypeError('no fetch')
    },
  })
  const init = put(body, { 'content-length': '5' })
  await expect(send('https://a.example', init)).rejects.toThrow('no fetch')
  expect(cancelled).toBe(1)
})

test('a response that comes after an abort is read away', async () => {
  let cancelled = 0
  const responds = withResolvers<Response>()
  const send = authFetch(recordingScheme(['https://a.example']), { fetch: () => responds.promise })
  const controller = new AbortController()
  const sent = send('https://a.example', { signal: controller.signal })
  controller.abort('enough')
  await expect(sent).rejects.toBe('enough')
  const over = withResolvers<void>()
  const body = new ReadableStream({
    pull: (stream) => stream.enqueue(new Uint8Array(mib)),
    cancel() {
      cancelled += 1
      over.resolve()
    },
  })
  responds.resolve(new Response(body))
  await over.promise
  expect(cancelled).toBe(1)
})

test('an authorization that comes after an abort is given back', async () => {
  const given = withResolvers<void>()
  const abandoned = withResolvers<string>()
  const scheme: AuthScheme = {
    name: 'slow',
    covers: () => true,
    async authorize() {
      await given.promise
      return { scheme: 'slow', headers: [], abandon: () => abandoned.resolve('abandoned') }
    },
  }
  const controller = new AbortController()
  const sent = authFetch(scheme)('https://a.example', { signal: controller.signal })
  controller.abort('enough')
  await expect(sent).rejects.toBe('enough')
  given.resolve()
  expect(await abandoned.promise).toBe('abandoned')
})

// `Promise.withResolvers` came with Node 22.
function withResolvers<T>() {
  let resolve!: (value: T) => void
  const promise = new Promise<T>((given) => (resolve = given))
  return { promise, resolve }
}

test('a Request larger than maxReplayBytes keeps its length through a fetch of the caller’s', async () => {
  const server = await serve()
  const own: Fetch = (input, init) => fetch(input, init)
  const scheme = recordingScheme([server.origin])
  const request = () =>
    new Request(server.origin, { method: 'PUT', body: new Blob(['x'.repeat(100)]) })
  await authFetch(scheme, { maxReplayBytes: 10 })(request())
  await authFetch(scheme, { maxReplayBytes: 10, fetch: own })(request())
  await ky.extend(authKy(scheme, { maxReplayBytes: 10, fetch: own }))(request())
  const client = createClient<never>({
    baseUrl: server.origin,
    ...authOpenApi(scheme, { maxReplayBytes: 10, fetch: own }),
  })
  await client.request(
    'put',
    '/' as never,
    { body: new Blob(['x'.repeat(100)]), bodySerializer: (body: unknown) => body } as never,
  )
  expect(
    server.arrived.map(({ headers, body }) => [headers['content-length'], body.length]),
  ).toEqual(Array.from({ length: 4 }, () => ['100', 100]))
})
