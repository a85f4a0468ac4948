import { Readable } from 'node:stream'
import { authInterceptor } from '@svc/auth-hooks/undici'
import type { OutgoingBody } from '@svc/types'
import { describe, expect, onTestFinished, test } from 'vitest'
import { recordingScheme, rejects401 } from '../support/schemes.ts'
import { serve } from '../support/server.ts'
import { streamFrom } from '../support/streams.ts'
import { agentOf, builtInFetch, gate, majors, type Undici } from './majors.ts'

const bytes = Buffer.from('body')

async function* generated(): AsyncGenerator<Uint8Array | string> {
  yield 'bo'
  yield Buffer.from('dy')
}

function form(undici: Pick<Undici, 'FormData'> | typeof globalThis): FormData {
  const data = new undici.FormData() as FormData
  data.set('field', 'value')
  data.set('file', new Blob(['body'], { type: 'text/plain' }), 'file.txt')
  return data
}

const refuseFirst = serve.bind(undefined, ({ count }, response) => {
  response.writeHead(count === 1 ? 401 : 200).end()
})

describe.each(majors)('%s', (_name, undici) => {
  test.each([
    ['a string', () => 'body'],
    ['a Buffer', () => bytes],
    ['a typed array', () => new Uint8Array(bytes)],
    ['a view of a part', () => new DataView(new TextEncoder().encode('a body').buffer, 2)],
    ['an ArrayBuffer', () => new Uint8Array(bytes).buffer],
    ['a Blob', () => new Blob(['bo', 'dy'])],
  ])('%s is sent with its length, hashed as it is sent, and sent again', async (_what, body) => {
    const server = await refuseFirst()
    const hashed: string[] = []
    const scheme = recordingScheme([server.origin], () => ({ review: rejects401 }))
    const dispatcher = agentOf(undici, {
      ...scheme,
      async authorize(request) {
        hashed.push(Buffer.from((await request.body?.bytes()) ?? []).toString())
        return scheme.authorize(request)
      },
    })
    const { statusCode } = await undici.request(server.origin, {
      dispatcher,
      method: 'PUT',
      body: body() as Buffer,
    })
    expect(statusCode).toBe(200)
    expect(hashed).toEqual(['body', 'body'])
    const seen = server.arrived.map(({ headers, body: arrived }) => [
      arrived.toString(),
      headers['content-length'],
      headers['content-type'],
      headers['transfer-encoding'],
    ])
    const once = ['body', '4', undefined, undefined]
    expect(seen).toEqual([once, once])
  })

  test('a Blob brings its type, and URLSearchParams theirs', async () => {
    const server = await serve()
    const scheme = recordingScheme([server.origin])
    const dispatcher = agentOf(undici, scheme)
    const bodies = [new Blob(['a'], { type: 'text/csv' }), new URLSearchParams({ a: 'b c' })]
    for (const body of bodies) {
      await undici.request(server.origin, { dispatcher, method: 'PUT', body: body as never })
    }
    const types = ['text/csv', 'application/x-www-form-urlencoded;charset=UTF-8']
    expect(server.arrived.map(({ headers }) => headers['content-type'])).toEqual(types)
    expect(scheme.seen.map(({ headers }) => headers.get('content-type'))).toEqual(types)
    expect(server.arrived[1]?.body.toString()).toBe('a=b+c')
  })

  test.each([
    ['of undici', undici],
    ['of Node', globalThis],
  ])('a form %s keeps one boundary and its type', async (_whose, source) => {
    const server = await refuseFirst()
    const scheme = recordingScheme([server.origin], () => ({ review: rejects401 }))
    const body = form(source) as never
    await undici.request(server.origin, {
      dispatcher: agentOf(undici, scheme),
      method: 'POST',
      body,
    })

    const [first, second] = server.arrived
    const type = second?.headers['content-type']
    expect(type).toMatch(/^multipart\/form-data; boundary=/)
    expect(scheme.seen[0]?.headers.get('content-type')).toBe(type)
    expect(first?.body).toEqual(second?.body)
    expect(second?.headers['content-length']).toBe(`${second?.body.byteLength}`)
    const parsed = await new Response(new Uint8Array(second!.body), {
      headers: { 'content-type': `${type}` },
    }).formData()
    expect(parsed.get('field')).toBe('value')
    expect(await (parsed.get('file') as File).text()).toBe('body')
  })

  test.each([
    ['a Readable', () => Readable.from([Buffer.from('bo'), Buffer.from('dy')])],
    ['a Readable of text', () => Readable.from(['bo', 'dy'])],
    ['a ReadableStream', () => streamFrom(Buffer.from('bo'), Buffer.from('dy'))],
    ['an async iterable', generated],
    ['an iterable', () => ['bo', Buffer.from('dy')]],
  ])('%s stays a stream: it is not read ahead, and not sent again', async (_what, body) => {
    const server = await refuseFirst()
    const bodies: (OutgoingBody | undefined)[] = []
    const scheme = recordingScheme([server.origin], (request) => {
      bodies.push(request.body)
      return { review: rejects401 }
    })
    const { statusCode } = await undici.request(server.origin, {
      dispatcher: agentOf(undici, scheme),
      method: 'PUT',
      body: body() as never,
    })
    expect(statusCode).toBe(401)
    expect(server.arrived.map((arrived) => arrived.body.toString())).toEqual(['body'])
    expect(server.arrived[0]?.headers['transfer-encoding']).toBe('chunked')
    expect(bodies).toMatchObject([{ replayable: false }])
    await expect(bodies[0]?.bytes()).rejects.toMatchObject({ code: 'ERR_AUTH_BODY' })
  })

  test.each([
    ['a Readable of text', () => Readable.from(['bo', 'dy'])],
    ['a ReadableStream', () => streamFrom(Buffer.from('bo'), Buffer.from('dy'))],
    ['an async iterable', generated],
    ['an iterable', () => ['bo', Buffer.from('dy')]],
    ['a string', () => 'body'],
  ])('%s that a scheme wraps is sent with the length of what it gives', async (_what, source) => {
    const server = await serve()
    const scheme = recordingScheme([server.origin], ({ body }) => ({
      body: {
        size: 6,
        replayable: false,
        bytes: () => Promise.reject(new Error('not asked for')),
        async *chunks() {
          yield Buffer.from('<')
          for await (const chunk of body!.chunks()) {
            expect(chunk).toBeInstanceOf(Uint8Array)
            yield chunk
          }
          yield Buffer.from('>')
        },
      },
    }))
    await undici.request(server.origin, {
      dispatcher: agentOf(undici, scheme),
      method: 'PUT',
      headers: { 'content-length': '4' },
      body: source() as never,
    })
    expect(server.arrived[0]?.body.toString()).toBe('<body>')
    expect(server.arrived[0]?.headers['content-length']).toBe('6')
  })

  test('what a wrapped body fails with is what the request fails with', async () => {
    const failure = new Error('the file is gone')
    const server = await serve()
    const scheme = recordingScheme([server.origin], () => ({
      body: {
        replayable: false,
        bytes: () => Promise.reject(failure),
        async *chunks() {
          yield bytes
          throw failure
        },
      },
    }))
    const options = { dispatcher: agentOf(undici, scheme), method: 'PUT', body: 'body' } as const
    await expect(undici.request(server.origin, options)).rejects.toBe(failure)
  })

  test('a source that a scheme wraps is cancelled where the connection breaks off', async () => {
    const server = await serve()
    const cancelled = gate()
    const source = new ReadableStream({
      start: (controller) => controller.enqueue(bytes),
      cancel: cancelled.open,
    })
    const scheme = recordingScheme([server.origin], ({ body }) => ({
      body: {
        replayable: false,
        bytes: () => Promise.reject(new Error('not asked for')),
        chunks: () => body!.chunks(),
      },
    }))
    const agent = new undici.Agent()
    const dispatcher = agent.compose(authInterceptor(scheme))
    const sent = undici.request(server.origin, { dispatcher, method: 'PUT', body: source as never })
    setImmediate(() => void agent.destroy(new Error('broken off')))
    await expect(sent).rejects.toThrow('broken off')
    await cancelled.opened
  })

  test('a Readable with a length stays a stream too', async () => {
    const server = await serve()
    const scheme = recordingScheme([server.origin])
    await undici.request(server.origin, {
      dispatcher: agentOf(undici, scheme),
      method: 'PUT',
      headers: { 'content-length': '4' },
      body: Readable.from([bytes]),
    })
    expect(scheme.seen[0]?.body?.replayable).toBe(false)
    expect(server.arrived[0]?.body.toString()).toBe('body')
  })

  test('an iterator that fills one buffer again and again is read as it gave it', async () => {
    const server = await serve()
    const scheme = recordingScheme([server.origin])
    const one = new Uint8Array(1)
    await undici.request(server.origin, {
      dispatcher: agentOf(undici, scheme),
      method: 'PUT',
      headers: { 'content-length': '2' },
      body: (async function* () {
        for (const byte of [1, 2]) {
          one[0] = byte
          yield one
        }
      })() as never,
    })
    expect([...(server.arrived[0]?.body ?? [])]).toEqual([1, 2])
    expect([...((await scheme.seen[0]?.body?.bytes()) ?? [])]).toEqual([1, 2])
  })

  test('an iterator that gives more than its length is not read to its end', async () => {
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) {
        yield bytes
        await new Promise((resolve) => setImmediate(resolve))
      }
    }
    const dispatcher = agentOf(undici, recordingScheme(['https://a.example']))
    const sent = undici.request('https://a.example', {
      dispatcher,
      method: 'PUT',
      headers: { 'content-length': '9' },
      body: endless() as never,
    })
    await expect(sent).rejects.toMatchObject({ code: 'ERR_AUTH_BODY' })
  })

  test.each(['-1', 'none', ''])(
    'the content-length %o is left to undici to refuse',
    async (length) => {
      const sent = undici.request('https://a.example', {
        dispatcher: agentOf(undici, recordingScheme(['https://a.example'])),
        method: 'PUT',
        headers: { 'content-length': length },
        body: generated() as never,
      })
      await expect(sent).rejects.toMatchObject({ code: 'UND_ERR_INVALID_ARG' })
    },
  )

  test('a large Blob is never held whole, and sent with its length', async () => {
    const server = await serve()
    const blob = new Blob([new Uint8Array(3 * 1024 * 1024).fill(7)])
    const whole = await blob.arrayBuffer()
    const arrayBuffer = { value: () => Promise.reject(new Error('held whole')) }
    Object.defineProperty(blob, 'arrayBuffer', arrayBuffer)
    const scheme = recordingScheme([server.origin])
    const options = { dispatcher: agentOf(undici, scheme), method: 'PUT', body: blob } as const
    await undici.request(server.origin, options as never)
    expect(server.arrived[0]?.headers['content-length']).toBe(`${blob.size}`)
    expect(server.arrived[0]?.body.equals(Buffer.from(whole))).toBe(true)
  })

  test('a body is read once: what the caller changes afterwards is not sent', async () => {
    const server = await serve()
    const body = Buffer.from('body')
    const headers = { 'x-a': '1' }
    const scheme = recordingScheme([server.origin])
    const dispatcher = agentOf(undici, {
      ...scheme,
      authorize: async (request) => scheme.authorize(request),
    })
    const sent = undici.request(server.origin, { dispatcher, method: 'PUT', body, headers })
    body.fill('x')
    headers['x-a'] = '2'
    await sent
    expect(server.arrived[0]?.body.toString()).toBe('body')
    expect(server.arrived[0]?.headers['x-a']).toBe('1')
    expect(headers).toEqual({ 'x-a': '2' })
  })

  describe.each([
    ['undici.fetch', undici.fetch as unknown as typeof builtInFetch],
    ['the fetch of Node', builtInFetch],
  ])('%s', (_fetch, send) => {
    test.each([
      ['a string', () => 'body', 'text/plain;charset=UTF-8'],
      ['bytes', () => new Uint8Array(bytes), null],
      ['a Blob', () => new Blob(['body'], { type: 'text/csv' }), 'text/csv'],
    ])('%s can be hashed and sent again', async (_what, body, type) => {
      const server = await refuseFirst()
      const scheme = recordingScheme([server.origin], () => ({ review: rejects401 }))
      const dispatcher = agentOf(undici, scheme)
      const response = await send(server.origin, { dispatcher, method: 'PUT', body: body() })
      expect(response.status).toBe(200)
      expect(server.arrived.map((arrived) => arrived.body.toString())).toEqual(['body', 'body'])
      expect(scheme.seen[0]?.headers.get('content-type')).toBe(type)
      expect(Buffer.from(await scheme.seen[0]!.body!.bytes()).toString()).toBe('body')
    })

    test('a form keeps the boundary of its type', async () => {
      const server = await refuseFirst()
      const scheme = recordingScheme([server.origin], () => ({ review: rejects401 }))
      const dispatcher = agentOf(undici, scheme)
      const body = form(send === builtInFetch ? globalThis : undici)
      await send(server.origin, { dispatcher, method: 'POST', body })
      const [first, second] = server.arrived
      expect(second?.body).toEqual(first?.body)
      const boundary = /boundary=(.*)$/.exec(`${second?.headers['content-type']}`)?.[1]
      expect(second?.body.toString()).toContain(`--${boundary}--`)
    })

    test('a stream, and what is larger than maxReplayBytes, is not sent again', async () => {
      for (const body of [streamFrom(bytes), 'body']) {
        const server = await refuseFirst()
        const scheme = recordingScheme([server.origin], () => ({ review: rejects401 }))
        const dispatcher = agentOf(undici, scheme, { auth: { maxReplayBytes: 3 } })
        const init = { dispatcher, method: 'PUT', body, duplex: 'half' }
        const response = await send(server.origin, init)
        expect(response.status).toBe(401)
        expect(server.arrived.map((arrived) => arrived.body.toString())).toEqual(['body'])
        expect(scheme.seen[0]?.body?.replayable).toBe(false)
      }
    })

    test('a stream that is longer or shorter than its content-length fails', async () => {
      const server = await serve()
      const dispatcher = agentOf(undici, recordingScheme([server.origin]))
      for (const length of ['3', '5']) {
        const headers = { 'content-length': length }
        const init = { dispatcher, method: 'PUT', headers, body: streamFrom(bytes), duplex: 'half' }
        await expect(send(server.origin, init)).rejects.toMatchObject({
          cause: { code: 'ERR_AUTH_BODY' },
        })
      }
      expect(server.arrived).toEqual([])
    })
  })

  test.each([
    ['a record', { 'X-A': '1', 'x-b': ['2', '3'], 'x-c': undefined, 'x-d': null, 'x-e': 4 }],
    ['names and values', ['X-A', '1', 'x-b', ['2', '3'], 'x-c', undefined, 'x-d', null, 'x-e', 4]],
    [
      'bytes',
      ['X-A', '1', 'x-b', '2', 'x-b', '3', 'x-d', '', 'x-e', '4'].map((text) => Buffer.from(text)),
    ],
    [
      'pairs',
      [
        ['X-A', '1'],
        ['x-b', '2'],
        ['x-b', '3'],
        ['x-d', ''],
        ['x-e', '4'],
      ],
    ],
    ['a Map', new Map(Object.entries({ 'X-A': '1', 'x-b': ['2', '3'], 'x-d': '', 'x-e': '4' }))],
    ['a Headers', new Headers({ 'X-A': '1', 'x-b': '2, 3', 'x-d': '', 'x-e': '4' })],
  ])('headers as %s are read as undici reads them, but for the host', async (_form, headers) => {
    const server = await serve()
    const scheme = recordingScheme([server.origin])
    const dispatcher = agentOf(undici, scheme, {
      outside: [
        (dispatch) => (options, handler) =>
          dispatch({ ...options, headers: headers as never }, handler),
      ],
    })
    await undici.request(server.origin, { dispatcher })
    const expected = { 'x-a': '1', 'x-b': '2, 3', 'x-d': '', 'x-e': '4' }
    expect(Object.fromEntries(scheme.seen[0]!.headers)).toEqual(expected)
    expect(server.arrived[0]?.headers).toMatchObject(expected)
  })

  test.each([5, {}, true])(
    'the body %j is an error of undici’s, with a length too',
    async (body) => {
      const server = await serve()
      const plain = new undici.Agent()
      onTestFinished(() => plain.destroy())
      const authorized = agentOf(undici, recordingScheme([server.origin]))
      for (const headers of [{}, { 'content-length': '1' }]) {
        const [bare, ours] = await Promise.all(
          [plain, authorized].map((dispatcher) => {
            const options = { dispatcher, method: 'PUT', headers, body: body as never } as const
            return undici.request(server.origin, options).then(String, (error: unknown) => error)
          }),
        )
        expect(ours).toMatchObject({ code: 'UND_ERR_INVALID_ARG' })
        expect(ours).toEqual(bare)
      }
      expect(server.arrived).toEqual([])
    },
  )

  test("a host of the caller's is not sent, since the host of the URL is signed", async () => {
    const server = await serve()
    const scheme = recordingScheme([server.origin])
    const headers = { Host: 'b.example' }
    await undici.request(server.origin, { dispatcher: agentOf(undici, scheme), headers })
    expect(server.arrived[0]?.headers.host).toBe(new URL(server.origin).host)
    expect(scheme.seen[0]?.headers.has('host')).toBe(false)
  })

  test('a header that cannot be sent is a typed error, which does not show it', async () => {
    const dispatcher = agentOf(undici, recordingScheme(['https://a.example']))
    for (const value of ['secret\r\nx-b: 1', 'secret \u{1f511}', {}]) {
      const headers = { 'x-a': value as string }
      const sent = undici.request('https://a.example', { dispatcher, headers })
      const error: unknown = await sent.then(undefined, (reason: unknown) => reason)
      expect(error).toMatchObject({ code: 'ERR_AUTH_HEADER' })
      expect(String(error)).not.toContain('secret')
    }
  })
})
