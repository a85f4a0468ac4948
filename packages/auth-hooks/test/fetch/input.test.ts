import { Readable } from 'node:stream'
import { authFetch } from '@svc/auth-hooks'
import { describe, expect, test } from 'vitest'
import { recordingScheme, rejects401 } from '../support/schemes.ts'
import { type Arrived, serve } from '../support/server.ts'
import { streamFrom, type StreamingInit } from '../support/streams.ts'

type Arguments = [input: string | URL | Request, init?: StreamingInit]

/** Sends the same with plain fetch and through the kernel; gives what arrived of each. */
async function sendBoth(build: (url: string) => Arguments): Promise<[Arrived, Arrived]> {
  const server = await serve()
  const scheme = recordingScheme([server.origin])
  const send = authFetch(scheme)
  await fetch(...build(`${server.origin}/a?b=c#d`))
  await send(...build(`${server.origin}/a?b=c#d`))
  const [plain, ours] = server.arrived
  if (!plain || !ours) throw new Error('two requests were expected')
  return [plain, ours]
}

function comparable({ method, path, headers, body }: Arrived) {
  const { 'x-test-credential': _credential, ...others } = headers
  return { method, path, headers: others, body: body.toString('latin1') }
}

/** A form with its boundary made neutral. */
function neutral({ headers, body }: Arrived): string {
  const boundary = /boundary=(.+)$/.exec(headers['content-type'] ?? '')?.[1] ?? ''
  return body.toString('latin1').replaceAll(boundary, 'BOUNDARY')
}

const bytes = new Uint8Array([0, 1, 2, 250, 251, 252])
const stream = () => streamFrom(bytes.slice(0, 2), bytes.slice(2))
async function* chunks() {
  yield bytes.slice(0, 3)
  yield bytes.slice(3)
}
const post = (body: unknown, headers?: RequestInit['headers']): StreamingInit => ({
  method: 'POST',
  // Node takes more than the types of the web platform say.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
  body: body as NonNullable<RequestInit['body']>,
  ...(headers && { headers }),
  duplex: 'half',
})

const cases: Record<string, (url: string) => Arguments> = {
  'a string': (url) => [url],
  'a URL': (url) => [new URL(url)],
  'a Request': (url) => [new Request(url, { headers: { 'x-own': '1' } })],
  'a Request with a body': (url) => [new Request(url, { method: 'PUT', body: 'text ä' })],
  'a Request with keepalive': (url) => [new Request(url, { ...post('x'), keepalive: true })],
  'a Request as init': (url) => [url, new Request(url, { method: 'DELETE', headers: { a: 'b' } })],
  'a Request and an init': (url) => [
    new Request(url, { method: 'POST', body: 'one', headers: { a: 'b' } }),
    { method: 'PUT', body: new URLSearchParams('a=b') },
  ],
  'a Request and an init with headers': (url) => [
    new Request(url, { method: 'POST', body: 'one', headers: { a: 'b' } }),
    { headers: { c: 'd' } },
  ],
  'a Request and a null body': (url) => [new Request(url, post('kept')), { body: null }],
  'a Request and a stream': (url) => [new Request(url, post('one')), post(stream())],
  'a used Request and a body': (url) => {
    const used = new Request(url, post('one'))
    void used.text()
    return [used, { body: 'two' }]
  },
  'a method in lower case': (url) => [url, { method: 'put', body: 'x' }],
  'a string body': (url) => [url, post('grün')],
  'an empty body': (url) => [url, post('')],
  'a null body': (url) => [url, { method: 'POST', body: null }],
  'a view with an offset': (url) => [url, post(bytes.subarray(2, 4))],
  'an ArrayBuffer': (url) => [url, post(bytes.slice().buffer)],
  'a DataView': (url) => [url, post(new DataView(bytes.buffer, 1, 3))],
  'a Blob': (url) => [url, post(new Blob([bytes], { type: 'image/png' }))],
  'a Blob without a type': (url) => [url, post(new Blob([bytes]))],
  'a File': (url) => [url, post(new File([bytes], 'a.bin', { type: 'x/y' }))],
  'search parameters': (url) => [url, post(new URLSearchParams({ a: 'b c', d: 'ä' }))],
  'a ReadableStream': (url) => [url, post(stream())],
  'an async iterable': (url) => [url, post(chunks())],
  'a Node stream': (url) => [url, post(Readable.from([Buffer.from('a'), Buffer.from('b')]))],
  'a body with a content type of its own': (url) => [url, post('{}', { 'Content-Type': 'a/b' })],
  'a record with names differing in case': (url) => [url, { headers: { 'X-A': '1', 'x-a': '2' } }],
  'tuples with several values': (url) => [
    url,
    {
      headers: [
        ['x-a', '1'],
        ['X-A', ' 2\t'],
        ['cookie', 'a=1'],
        ['cookie', 'b=2'],
      ],
    },
  ],
  'a Headers': (url) => [
    url,
    {
      headers: new Headers([
        ['x-a', 'é'],
        ['x-a', '2'],
      ]),
    },
  ],
  'a __proto__ header': (url) => [url, { headers: JSON.parse('{"__proto__":"x"}') }],
  'a host of the caller': (url) => [url, { headers: { host: 'elsewhere.example', a: 'b' } }],
}

describe('what fetch takes arrives as plain fetch sends it', () => {
  test.each(Object.entries(cases))('%s', async (_name, build) => {
    const [plain, ours] = await sendBoth(build)

    expect(ours.headers['x-test-credential']).toBe('credential-of-the-test-1')
    expect(comparable(ours)).toEqual(comparable(plain))
  })

  test('a Request with a stream that was read, but with its length', async () => {
    const [plain, ours] = await sendBoth((url) => [new Request(url, post(stream()))])
    expect(ours.body).toEqual(plain.body)
    expect(plain.headers['transfer-encoding']).toBe('chunked')
    expect(ours.headers['content-length']).toBe(String(ours.body.byteLength))
    expect(ours.headers).not.toHaveProperty('transfer-encoding')
  })

  test('a form with quotes and line breaks in its names', async () => {
    const form = new FormData()
    form.append('a "quoted"\nname', 'value\nwith\r\nbreaks\rä')
    form.append('file', new File([bytes], 'a"b\r\nc\nd.bin', { type: 'x/y' }))
    form.append('untyped', new Blob(['x']))
    const [plain, ours] = await sendBoth((url) => [url, { method: 'POST', body: form }])

    expect(neutral(ours)).toBe(neutral(plain))
    expect(ours.headers['content-length']).toBe(String(ours.body.byteLength))
    const parsed = await new Response(new Uint8Array(ours.body), {
      headers: { 'content-type': ours.headers['content-type'] ?? '' },
    }).formData()
    const file = parsed.get('file')
    if (!(file instanceof File)) throw new Error('a file was expected')
    expect(await file.bytes()).toEqual(bytes)
    expect(file.type).toBe('x/y')
    expect([...parsed.keys()]).toHaveLength(3)
  })
})

test('a relative URL is refused where there is no page', async () => {
  const send = authFetch(recordingScheme([]))
  await expect(send('/path')).rejects.toMatchObject({ code: 'ERR_AUTH_URL' })
})

test('bytes that change after the call do not change what is sent', async () => {
  const server = await serve()
  const body = new Uint8Array([1, 2, 3])
  const parameters = new URLSearchParams('a=b')
  const headers = { 'x-a': '1' }
  let open: (() => void) | undefined
  const gate = new Promise<void>((resolve) => {
    open = resolve
  })
  const scheme = recordingScheme([server.origin])
  const send = authFetch({
    ...scheme,
    authorize: async (request) => {
      await gate
      return scheme.authorize(request)
    },
  })
  const sent = [
    send(server.origin, { method: 'POST', body, headers }),
    send(server.origin, { method: 'POST', body: parameters }),
  ]
  body.fill(9)
  parameters.set('a', 'changed')
  headers['x-a'] = '2'
  open?.()
  await Promise.all(sent)

  const ofBytes = server.arrived.find(({ headers: { 'x-a': value } }) => value === '1')
  expect([...(ofBytes?.body ?? [])]).toEqual([1, 2, 3])
  expect(server.arrived.map(({ body: arrived }) => arrived.toString())).toContain('a=b')
})

test('nothing of the caller is changed', async () => {
  const server = await serve()
  const headers = new Headers({ 'x-a': '1' })
  const request = new Request(server.origin, { headers: { 'x-b': '2' } })
  const send = authFetch(recordingScheme([server.origin]))
  await send(server.origin, Object.freeze({ headers, method: 'POST', body: 'x' }))
  await send(request)

  expect([...headers]).toEqual([['x-a', '1']])
  expect([...request.headers]).toEqual([['x-b', '2']])
})

test('fields that fetch does not know reach the inner fetch', async () => {
  const inits: (RequestInit | undefined)[] = []
  const dispatcher = {}
  const send = authFetch(recordingScheme(['https://a.example']), {
    fetch: async (_input, init) => {
      inits.push(init)
      return new Response()
    },
  })
  // What undici and Cloudflare add is in no type of the web platform.
  const unknownFields: object = { dispatcher, cf: { b: 1 } }
  await send('https://a.example', unknownFields)

  expect(inits).toMatchObject([{ cf: { b: 1 } }])
  expect(inits[0]).toHaveProperty('dispatcher', dispatcher)
})

test('a plain call makes no Headers and no Request for the inner fetch', async () => {
  const calls: unknown[][] = []
  const send = authFetch(recordingScheme(['https://a.example']), {
    fetch: async (...parameters) => {
      calls.push(parameters)
      return new Response()
    },
  })
  await send('https://a.example/x', { headers: { 'x-a': '1' } })

  expect(calls).toEqual([
    [
      'https://a.example/x',
      {
        method: 'GET',
        headers: { 'x-a': '1', 'x-test-credential': 'credential-of-the-test-1' },
        redirect: 'manual',
      },
    ],
  ])
})

test('a Request that is used up is a TypeError', async () => {
  const request = new Request('https://a.example', { method: 'POST', body: 'x' })
  await request.text()
  const send = authFetch(recordingScheme(['https://a.example']))
  await expect(send(request)).rejects.toThrow(TypeError)
})

test('a header that a record inherits was not meant, and is not sent', async () => {
  const server = await serve()
  const headers: Record<string, string> = Object.create({ 'x-inherited': '1' })
  headers['x-own'] = '1'
  await authFetch(recordingScheme([server.origin]))(server.origin, { headers })
  expect(server.arrived[0]?.headers).toMatchObject({ 'x-own': '1' })
  expect(server.arrived[0]?.headers).not.toHaveProperty('x-inherited')
})

describe('where a Request does not show its body, as in Firefox', () => {
  class HidingRequest extends Request {
    override get body(): null {
      // Firefox has no such property, whatever the request holds.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
      return undefined as unknown as null
    }
    override clone(): Request {
      return new HidingRequest(super.clone())
    }
  }

  test.each(['text', ''])('the body "%s" is signed and arrives', async (body) => {
    const server = await serve()
    const scheme = recordingScheme([server.origin])
    await authFetch(scheme)(new HidingRequest(server.origin, { method: 'POST', body }))
    expect(server.arrived[0]?.body.toString()).toBe(body)
    expect(scheme.seen[0]?.body?.size).toBe(body === '' ? undefined : body.length)
  })
})

test('a Request given as init goes with the length that plain fetch loses, and can be sent again', async () => {
  const server = await serve(({ count }, response) => {
    response.writeHead(count === 1 ? 401 : 200).end()
  })
  const fetch = authFetch(recordingScheme([server.origin], () => ({ review: rejects401 })))
  const init = new Request(server.origin, { method: 'POST', body: 'of the init' })
  expect((await fetch(`${server.origin}/a`, init)).status).toBe(200)
  expect(
    server.arrived.map(({ body, headers }) => [String(body), headers['content-length']]),
  ).toEqual([
    ['of the init', '11'],
    ['of the init', '11'],
  ])
})

test('an empty body of the init replaces that of the Request, and brings its content type', async () => {
  const server = await serve()
  const scheme = recordingScheme([server.origin])
  const send = authFetch(scheme)
  await send(new Request(server.origin, { method: 'POST', body: 'one' }), { body: '' })
  await send(server.origin, { method: 'POST', body: '' })
  expect(server.arrived.map(({ body }) => String(body))).toEqual(['', ''])
  expect(scheme.seen.map(({ body }) => body?.size)).toEqual([0, 0])
  expect(server.arrived[1]?.headers['content-type']).toBe('text/plain;charset=UTF-8')
})

test('a Request without a body as init leaves that of the Request before it, seen by the scheme', async () => {
  const server = await serve()
  const scheme = recordingScheme([server.origin])
  const first = new Request(server.origin, { method: 'POST', body: 'one' })
  const init = new Request(server.origin, { method: 'POST' })
  await authFetch(scheme)(first, init)
  expect(String(server.arrived[0]?.body)).toBe('one')
  expect(scheme.seen[0]?.body?.size).toBe(3)
})
