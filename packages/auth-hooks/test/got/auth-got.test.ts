import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { AuthError } from '@svc/auth-hooks'
import { authGot } from '@svc/auth-hooks/got'
import type { AuthScheme, OutgoingBody } from '@svc/types'
import { describe, expect, test } from 'vitest'
import { credential, recordingScheme, rejects401 } from '../support/schemes.ts'
import { type Arrived, redirectTo, serve } from '../support/server.ts'
import { type CommonGot, type CommonOptions, failure, majors, retry } from './majors.ts'

type Page = { url: URL }
type Hook = { headers: Record<string, string | undefined>; body?: unknown }

function credentials(arrived: readonly Arrived[]) {
  return arrived.map(({ headers }) => headers['x-test-credential'])
}

function form(): FormData {
  const data = new FormData()
  data.set('name', 'value')
  data.set('file', new File(['text of the file'], 'file.txt', { type: 'text/plain' }))
  return data
}

const retryAtOnce = {
  limit: 2,
  calculateDelay: ({ computedValue }: { computedValue: number }) => computedValue && 1,
}

describe.each(majors)('authGot with %s', (_name, client: CommonGot) => {
  test('authorizes each of got’s own attempts anew, with the body', async () => {
    const server = await serve((request, response) => {
      response.statusCode = request.count < 3 ? 503 : 200
      response.end()
    })
    const scheme = recordingScheme([server.origin])
    const api = client.extend({ retry: retryAtOnce }, authGot(scheme))
    const response = await api(`${server.origin}/path`, { method: 'PUT', json: { a: 1 } })

    expect(response.retryCount).toBe(2)
    expect(credentials(server.arrived)).toEqual([1, 2, 3].map((count) => `${credential}-${count}`))
    expect(server.arrived.map(({ body }) => body.toString())).toEqual(Array(3).fill('{"a":1}'))
    expect(scheme.seen.every(({ headers }) => !headers.has('x-test-credential'))).toBe(true)
  })

  test('authorizes what hooks of later extensions left', async () => {
    const server = await serve()
    const scheme = recordingScheme([server.origin], ({ body }) => ({
      headers: [['x-test-credential', `${body?.size} bytes`]],
    }))
    const later = {
      beforeRequest: [
        (options: Hook) => {
          options.headers['x-own'] = '1'
          options.headers['content-length'] = '5'
          options.body = 'other'
        },
      ],
    }
    const api = client.extend(authGot(scheme)).extend({ hooks: later })
    await api(`${server.origin}/path`, { method: 'POST', body: 'first', hooks: later })

    expect(scheme.seen[0]?.headers.get('x-own')).toBe('1')
    expect(server.arrived[0]).toMatchObject({
      body: Buffer.from('other'),
      headers: { 'x-own': '1', 'x-test-credential': '5 bytes' },
    })
  })

  const bodies: [string, () => CommonOptions, string, string | undefined][] = [
    ['a string', () => ({ body: 'täxt' }), 'täxt', undefined],
    ['a Buffer', () => ({ body: Buffer.from('bytes') }), 'bytes', undefined],
    ['a typed array', () => ({ body: new Uint16Array([0x6261]) }), 'ab', undefined],
    ['json', () => ({ json: { a: 'ä' } }), '{"a":"ä"}', 'application/json'],
    ['a form', () => ({ form: { a: 'b c' } }), 'a=b+c', 'application/x-www-form-urlencoded'],
    ['an empty string', () => ({ body: '' }), '', undefined],
  ]

  test.each(bodies)('sends %s once more where it is refused', async (_case, body, sent, type) => {
    const server = await serve((request, response) => {
      response.statusCode = request.count === 1 ? 401 : 200
      response.end('text')
    })
    const seen: (string | undefined)[] = []
    const scheme = recordingScheme([server.origin], ({ body: outgoing }) => {
      seen.push(Buffer.from(outgoing?.bytes() as Uint8Array).toString())
      return { review: rejects401 }
    })
    const api = client.extend({ retry }, authGot(scheme))
    const response = await api(`${server.origin}/path`, { method: 'POST', ...body() })

    expect(response).toMatchObject({ statusCode: 200, body: 'text', retryCount: 0 })
    expect(seen).toEqual([sent, sent])
    expect(scheme.seen.map(({ reason }) => reason)).toEqual(['initial', 'rejected'])
    expect(server.arrived.map((arrived) => arrived.body.toString())).toEqual([sent, sent])
    expect(server.arrived.map(({ headers }) => headers['content-type'])).toEqual([type, type])
    expect(server.arrived[1]?.headers['content-length']).toBe(`${Buffer.byteLength(sent)}`)
    expect(credentials(server.arrived)).toEqual([`${credential}-1`, `${credential}-2`])
  })

  test('sends a FormData with one boundary, which the scheme sees as well', async () => {
    const server = await serve((request, response) => {
      response.statusCode = request.count === 1 ? 401 : 200
      response.end()
    })
    const seen: (OutgoingBody | undefined)[] = []
    const scheme = recordingScheme([server.origin], ({ body }) => {
      seen.push(body)
      return { review: rejects401 }
    })
    const data = form()
    const api = client.extend({ retry }, authGot(scheme))
    await api(`${server.origin}/path`, { method: 'POST', body: data })

    const [first, second] = server.arrived
    if (!first || !second) throw new Error('two requests were expected')
    expect(Buffer.from((await seen[0]?.bytes()) ?? [])).toEqual(first.body)
    expect(second.body).toEqual(first.body)
    expect(first.headers['content-length']).toBe(`${first.body.byteLength}`)
    const type = first.headers['content-type'] ?? ''
    const read = await new Response(new Uint8Array(first.body), {
      headers: { 'content-type': type },
    }).formData()
    expect(read.get('name')).toBe('value')
    expect(await (read.get('file') as File).text()).toBe('text of the file')
    expect([...data.keys()]).toEqual(['name', 'file'])
  })

  test('keeps the content type of a form that the caller gives', async () => {
    const server = await serve()
    const api = client.extend({ retry }, authGot(recordingScheme([server.origin])))
    const headers = { 'content-type': 'multipart/form-data; boundary=own' }
    await api(`${server.origin}/path`, { method: 'POST', body: form(), headers })

    expect(server.arrived[0]?.headers).toMatchObject(headers)
  })

  test('sends bytes with their length, whatever framing the caller asks for', async () => {
    const server = await serve()
    const api = client.extend({ retry }, authGot(recordingScheme([server.origin])))
    const headers = { 'transfer-encoding': 'chunked' }
    await api(`${server.origin}/path`, { method: 'PUT', body: 'abc', headers })

    expect(server.arrived[0]).toMatchObject({ body: Buffer.from('abc') })
    expect(server.arrived[0]?.headers['content-length']).toBe('3')
    expect(server.arrived[0]?.headers['transfer-encoding']).toBeUndefined()
  })

  const streams: [string, () => unknown][] = [
    ['a stream', () => Readable.from(['one', 'two'])],
    [
      'a generator',
      async function* () {
        yield 'one'
        yield 'two'
      },
    ],
  ]

  test.each(streams)(
    '%s is not read ahead, and a refusal of it is returned',
    async (_case, make) => {
      const server = await serve((_, response) => response.writeHead(401).end('refused'))
      const scheme = recordingScheme([server.origin], () => ({ review: rejects401 }))
      const api = client.extend({ retry, throwHttpErrors: false }, authGot(scheme))
      const response = await api(`${server.origin}/path`, { method: 'POST', body: make() })

      expect(response).toMatchObject({ statusCode: 401, body: 'refused' })
      expect(scheme.seen).toHaveLength(1)
      expect(scheme.seen[0]?.body?.replayable).toBe(false)
      expect(server.arrived[0]).toMatchObject({
        body: Buffer.from('onetwo'),
        headers: { 'transfer-encoding': 'chunked' },
      })
    },
  )

  test('sends what is piped into got.stream, with the length that the caller gives', async () => {
    const server = await serve((_, response) => response.end('response'))
    const api = client.extend({ retry }, authGot(recordingScheme([server.origin])))
    const upload = api.stream(`${server.origin}/path`, {
      method: 'PUT',
      headers: { 'content-length': '6' },
    })
    await pipeline(Readable.from(['one', 'two']), upload)

    expect(await text(upload)).toBe('response')
    expect(server.arrived[0]).toMatchObject({
      body: Buffer.from('onetwo'),
      headers: { 'content-length': '6', 'x-test-credential': `${credential}-1` },
    })
  })

  test.each([
    ['without a body', {}],
    ['with a body of its own', { method: 'POST', json: { a: 1 } }],
  ])('got.stream %s is sent once more where it is refused', async (_case, options) => {
    const server = await serve((request, response) => {
      response.statusCode = request.count === 1 ? 401 : 200
      response.end('response')
    })
    const scheme = recordingScheme([server.origin], () => ({ review: rejects401 }))
    const api = client.extend({ retry }, authGot(scheme))

    expect(await text(api.stream(`${server.origin}/path`, options))).toBe('response')
    expect(server.arrived).toHaveLength(2)
    expect(server.arrived[1]?.body).toEqual(server.arrived[0]?.body)
  })

  test('sends the body and the URL that the scheme gives, as they stand', async () => {
    const server = await serve()
    const wrapped: OutgoingBody = {
      size: 7,
      replayable: true,
      bytes: () => new TextEncoder().encode('wrapped'),
      async *chunks() {
        yield new TextEncoder().encode('wrap')
        yield new TextEncoder().encode('ped')
      },
    }
    const scheme = recordingScheme([server.origin], () => ({
      url: `${server.origin}/a%7Eb%2Fc?x=%27%20`,
      body: wrapped,
    }))
    const api = client.extend({ retry }, authGot(scheme))
    const response = await api(`${server.origin}/plain?x=1`, { method: 'PUT', body: 'abc' })

    expect(server.arrived[0]).toMatchObject({
      path: '/a%7Eb%2Fc?x=%27%20',
      body: Buffer.from('wrapped'),
      headers: { 'content-length': '7' },
    })
    expect(response.url).toBe(`${server.origin}/plain?x=1`)
  })

  test('a body that the scheme gives reads the stream that got writes', async () => {
    const server = await serve()
    const scheme = recordingScheme([server.origin], ({ body }) => ({
      body: {
        size: 8,
        replayable: false,
        bytes: () => Promise.reject(new Error('a stream')),
        async *chunks() {
          yield new TextEncoder().encode('<')
          yield* body?.chunks() ?? []
          yield new TextEncoder().encode('>')
        },
      },
    }))
    const api = client.extend({ retry }, authGot(scheme))
    await api(`${server.origin}/path`, { method: 'PUT', body: Readable.from(['one', 'two']) })

    expect(server.arrived[0]).toMatchObject({
      body: Buffer.from('<onetwo>'),
      headers: { 'content-length': '8' },
    })
  })

  test('what the body of a scheme throws is what the request fails with', async () => {
    const server = await serve()
    const scheme = recordingScheme([server.origin], () => ({
      body: {
        size: 8,
        replayable: true,
        bytes: () => new Uint8Array(),
        async *chunks() {
          yield new TextEncoder().encode('part')
          throw new AuthError('ERR_AUTH_BODY', 'not as long as announced')
        },
      },
    }))
    const api = client.extend({ retry }, authGot(scheme))
    const error = await failure(api(`${server.origin}/path`, { method: 'PUT', body: 'abc' }))

    expect(error).toMatchObject({ name: 'RequestError', code: 'ERR_AUTH_BODY' })
    expect(AuthError.is(error.cause)).toBe(true)
  })

  test('the host is that of the URL, whatever header the caller has', async () => {
    const server = await serve()
    const api = client.extend(authGot(recordingScheme([server.origin])))
    await api(`${server.origin}/path`, { headers: { host: 'other.example' }, setHost: false })

    expect(server.arrived[0]?.headers.host).toBe(new URL(server.origin).host)
  })

  test('an error of a scheme is the cause of got’s, with its code, and is not tried again', async () => {
    const server = await serve()
    const scheme = recordingScheme([])
    const api = client.extend({ retry: retryAtOnce }, authGot(scheme))
    const error = await failure(api(`${server.origin}/path?secret=1`))

    expect(error).toMatchObject({ name: 'RequestError', code: 'ERR_AUTH_ORIGIN' })
    expect(AuthError.is(error.cause)).toBe(true)
    expect(error.message).not.toContain('secret')
    expect(scheme.seen).toEqual([])
    expect(server.arrived).toEqual([])
  })

  test('a URL with a user name is refused', async () => {
    const server = await serve()
    const api = client.extend({ retry }, authGot(recordingScheme([server.origin])))
    const url = server.origin.replace('//', '//user:password@')

    expect(await failure(api(url))).toMatchObject({ code: 'ERR_AUTH_URL' })
    expect(server.arrived).toEqual([])
  })

  test('the options of the caller and of the instance stay as they are', async () => {
    const server = await serve()
    const api = client.extend({ retry }, authGot(recordingScheme([server.origin])))
    const headers = Object.freeze({ 'x-own': '1' })
    const options = Object.freeze({ method: 'POST', headers, json: Object.freeze({ a: 1 }) })
    await api(`${server.origin}/path`, options)
    await api(`${server.origin}/path`, options)

    expect(credentials(server.arrived)).toEqual([`${credential}-1`, `${credential}-2`])
  })

  test('an instance extended twice goes by the last scheme', async () => {
    const server = await serve((request, response) => {
      if (request.path === '/path') response.writeHead(302, { location: '/end' })
      response.end()
    })
    const first = recordingScheme([server.origin])
    const second = recordingScheme([server.origin])
    await client.extend(
      authGot(first),
      authGot(second, { maxRedirects: 1 }),
    )(`${server.origin}/path`)

    expect(first.seen).toEqual([])
    expect(second.seen).toHaveLength(2)
  })

  test('every page is authorized', async () => {
    const server = await serve((request, response) => response.end(`[${request.count}]`))
    const scheme = recordingScheme([server.origin])
    const api = client.extend({ responseType: 'json' }, authGot(scheme))
    const pages = api.paginate(`${server.origin}/page`, {
      pagination: {
        paginate: ({ currentItems }: { currentItems: number[] }) =>
          currentItems[0] === 3 ? false : { searchParams: { page: `${currentItems[0]}` } },
      },
    })
    const items: unknown[] = []
    for await (const item of pages) items.push(item)

    expect(items).toEqual([1, 2, 3])
    expect(server.arrived.map(({ path }) => path)).toEqual([
      '/page',
      '/page?page=1',
      '/page?page=2',
    ])
    expect(credentials(server.arrived)).toEqual([1, 2, 3].map((count) => `${credential}-${count}`))
  })

  test('a page after one that was elsewhere is authorized again', async () => {
    const other = await serve((_, response) => response.end('[1]'))
    const server = await serve((request, response) => {
      if (request.path === '/first') redirectTo(response, 302, other.origin)
      else response.end('[2]')
    })
    const scheme = recordingScheme([server.origin])
    const api = client.extend({ responseType: 'json' }, authGot(scheme, { redirect: 'follow' }))
    const pages = api.paginate(`${server.origin}/first`, {
      pagination: {
        paginate: ({ response }: { response: { url: string; request: { options: Page } } }) => {
          if (response.url.startsWith(server.origin)) return false
          response.request.options.url = new URL('/second', server.origin)
          return response.request.options
        },
      },
    })
    const items: unknown[] = []
    for await (const item of pages) items.push(item)

    expect(items).toEqual([1, 2])
    expect(credentials(other.arrived)).toEqual([undefined])
    expect(credentials(server.arrived)).toEqual([`${credential}-1`, `${credential}-2`])
  })

  test('a request function of the user’s own sends what was authorized', async () => {
    const server = await serve()
    const { request: send } = await import('node:http')
    const options: object[] = []
    const own = (url: URL, native: object) => {
      options.push(native)
      return send(url, native)
    }
    const api = client.extend({ request: own }, authGot(recordingScheme([server.origin])))
    await api(`${server.origin}/path`)

    expect(credentials(server.arrived)).toEqual([`${credential}-1`])
    expect(JSON.stringify(options)).not.toContain(credential)
  })

  test('a request function that gives no ClientRequest is named', async () => {
    const server = await serve()
    const own = () => ({ statusCode: 200 })
    const api = client.extend({ retry, request: own }, authGot(recordingScheme([server.origin])))

    await expect(api(`${server.origin}/path`)).rejects.toThrow('must return a ClientRequest')
  })
})

test('a version of got without what is needed is named', async () => {
  const [hook] = authGot(recordingScheme([])).hooks.beforeRequest
  // What got 11 gives to its hooks.
  const options = { url: new URL('http://a.example'), headers: {} } as never
  await expect(hook?.(options)).rejects.toThrow('it works with got 14, 15 and 16')
})

test('a wrong option is named at once', () => {
  const scheme = recordingScheme([])
  expect(() => authGot({} as AuthScheme)).toThrow(TypeError)
  expect(() => authGot(scheme, { maxRedirects: -1 })).toThrow(/maxRedirects/)
})
