import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { AuthError } from '@svc/auth-hooks'
import type { OutgoingRequest } from '@svc/types'
import { describe, expect, test } from 'vitest'
import { credential, recordingScheme, rejects401 } from '../support/schemes.ts'
import { serve } from '../support/server.ts'
import { streamFrom } from '../support/streams.ts'
import { streamBody } from '../testing.ts'
import { clients, failure } from './clients.ts'

const bytes = new TextEncoder().encode('bytes of the body')
const form = new FormData()
form.append('text', 'of the form')
form.append('file', new Blob(['of the file'], { type: 'text/css' }), 'a.css')

const replayable: [kind: string, data: () => unknown, type: RegExp, text: RegExp][] = [
  ['an object', () => ({ a: 1 }), /^application\/json/, /^\{"a":1\}$/],
  ['a string', () => 'text ☃', /urlencoded/, /^text ☃$/],
  ['an empty string', () => '', /urlencoded/, /^$/],
  ['a Buffer', () => Buffer.from(bytes), /urlencoded/, /^bytes of the body$/],
  ['an ArrayBuffer', () => bytes.slice().buffer, /urlencoded/, /^bytes of the body$/],
  ['parameters', () => new URLSearchParams('a=b c'), /urlencoded;charset=utf-8/i, /^a=b\+c$/],
  ['a form', () => form, /^multipart\/form-data; boundary=-/, /name="file"; filename="a.css"/],
  [
    'a Blob',
    () => new Blob(['of a blob'], { type: 'text/x' }),
    /text\/x|urlencoded/,
    /^of a blob$/,
  ],
]

/** Takes a body out of a request, as a scheme that hashes it does. */
async function hashed({ body }: OutgoingRequest): Promise<string> {
  return body ? Buffer.from(await body.bytes()).toString() : ''
}

describe.each(clients)('%s', (_name, client) => {
  describe('sends the bytes and the headers that the scheme saw, and again where refused:', () => {
    test.each(replayable)('%s', async (_kind, data, type, text) => {
      const server = await serve(({ count }, response) => {
        response.writeHead(count === 1 ? 401 : 200).end('response')
      })
      const scheme = recordingScheme([server.origin], () => ({ review: rejects401 }))
      const response = await client.create(scheme).post(server.origin, data())

      expect(response.data).toBe('response')
      const [first, second] = server.arrived
      expect(first?.body.toString()).toMatch(text)
      expect(first?.headers['content-type']).toMatch(type)
      expect(second?.body).toEqual(first?.body)
      expect(second?.headers).toEqual({
        ...first?.headers,
        'x-test-credential': `${credential}-2`,
      })
      const [seen] = scheme.seen
      if (!seen) throw new Error('nothing was authorized')
      expect(await hashed(seen)).toBe(first?.body.toString())
      expect(seen.headers.get('content-type')).toBe(first?.headers['content-type'])
      expect(first?.headers['content-length']).toBe(`${first?.body.byteLength}`)
      expect(seen.body?.size).toBe(first?.body.byteLength)
    })

    test('an object as a form', async () => {
      const server = await serve(({ count }, response) => {
        response.writeHead(count === 1 ? 401 : 200).end()
      })
      const scheme = recordingScheme([server.origin], () => ({ review: rejects401 }))
      await client.create(scheme).postForm(server.origin, { a: 'of the form' })
      const [first, second] = server.arrived
      expect(first?.body.toString()).toContain('of the form')
      const [, boundary = 'none'] =
        /boundary=(.+)$/.exec(first?.headers['content-type'] ?? '') ?? []
      expect(first?.body.toString()).toContain(`--${boundary}--`)
      expect(second?.body).toEqual(first?.body)
    })
  })

  test('sends bytes with their length alone, though they were to be chunked', async () => {
    const server = await serve()
    const scheme = recordingScheme([server.origin])
    const headers = { 'Transfer-Encoding': 'chunked' }
    await client.create(scheme).post(server.origin, 'text', { headers })
    const [arrived] = server.arrived
    expect(arrived?.headers['content-length']).toBe('4')
    expect(arrived?.headers).not.toHaveProperty('transfer-encoding')
    expect(scheme.seen[0]?.headers.has('transfer-encoding')).toBe(false)
  })

  describe('sends a stream as it comes, once:', () => {
    const text = 'a stream in pieces'
    const pieces = ['a stream ', 'in pieces'].map((piece) => Buffer.from(piece))
    test.each<[string, () => unknown]>([
      ['a Readable', () => Readable.from(pieces)],
      ['a Readable of strings', () => Readable.from(['a stream ', 'in pieces'])],
      ['a ReadableStream', () => streamFrom(...pieces)],
    ])('%s', async (_kind, data) => {
      const server = await serve((_request, response) => response.writeHead(401).end('refused'))
      const scheme = recordingScheme([server.origin], () => ({ review: rejects401 }))
      const api = client.create(scheme)
      const response = await api.put(server.origin, data(), { validateStatus: null })

      expect(response.status).toBe(401)
      expect(response.data).toBe('refused')
      expect(server.arrived.map(({ body }) => body.toString())).toEqual([text])
      expect(scheme.seen[0]?.body).toMatchObject({ replayable: false })
    })

    test('a form that has a stream in it, with its length', async () => {
      const FormDataOfAxios = client.axios.defaults.env?.FormData
      if (!FormDataOfAxios) throw new Error('axios has a form on Node')
      const packaged = new FormDataOfAxios()
      Reflect.get(packaged, 'append').call(packaged, 'file', createReadStream(import.meta.filename))
      const server = await serve()
      await client.create(recordingScheme([server.origin])).post(server.origin, packaged)
      const [arrived] = server.arrived
      expect(arrived?.body.toString()).toContain('a form that has a stream in it')
      expect(arrived?.headers['content-type']).toMatch(/^multipart\/form-data; ?boundary=/)
      expect(arrived?.headers['content-length']).toBe(`${arrived?.body.byteLength}`)
    })

    test('a form of whose headers only those of its content are wanted', async () => {
      const FormDataOfAxios = client.axios.defaults.env?.FormData
      if (!FormDataOfAxios) throw new Error('axios has a form on Node')
      const packaged = new FormDataOfAxios()
      const getHeaders = (): object => ({ 'content-type': 'multipart/x', 'x-other': '1' })
      Object.assign(packaged, { getHeaders })
      const server = await serve()
      const api = client.create(recordingScheme([server.origin]))
      await api.post(server.origin, packaged)
      await api.post(server.origin, packaged, { formDataHeaderPolicy: 'content-only' })
      expect(server.arrived.map(({ headers }) => headers['x-other'])).toEqual(['1', undefined])
      expect(server.arrived[1]?.headers['content-type']).toBe('multipart/x')
    })

    test('and reads nothing of it before the request is authorized', async () => {
      const server = await serve()
      let reads = 0
      const source = new ReadableStream(
        {
          pull(controller) {
            reads += 1
            controller.enqueue(Uint8Array.of(1))
            controller.close()
          },
        },
        { highWaterMark: 0 },
      )
      const scheme = recordingScheme([server.origin], () => {
        expect(reads).toBe(0)
        return {}
      })
      await client.create(scheme).put(server.origin, source)
      expect(reads).toBe(1)
    })
  })

  test('a stream of strings comes to the scheme as bytes', async () => {
    const server = await serve()
    const seen: unknown[] = []
    const scheme = recordingScheme([server.origin], ({ body }) => ({
      body: {
        replayable: false,
        bytes: () => Promise.reject(new Error('it is a stream')),
        async *chunks() {
          for await (const chunk of body?.chunks() ?? []) {
            seen.push(chunk)
            yield chunk
          }
        },
      },
    }))
    await client.create(scheme).put(server.origin, Readable.from(['ä', 'b']))
    expect(server.arrived[0]?.body.toString()).toBe('äb')
    expect(seen).toEqual(['ä', 'b'].map((text) => new TextEncoder().encode(text)))
  })

  test('a stream that axios does not come to is let go of', async () => {
    const server = await serve()
    const source = new Readable({ read: () => {} })
    const closed = once(source, 'close')
    // What axios cannot read it refuses before it listens to the stream.
    const options = { ...(client.adapter === 'http' && { timeout: 'soon' as unknown as number }) }
    const api = client.create(recordingScheme([server.origin]))
    const headers = { expect: 'none' }
    const error = await failure(api.put(server.origin, source, { ...options, headers }))
    expect(error).toMatchObject({ isAxiosError: true })
    await closed
  })

  test.each<[string, string, () => Error]>([
    ['is not covered', 'ERR_AUTH_ORIGIN', () => new Error('not asked')],
    ['is refused', 'ERR_AUTH_BODY', () => new AuthError('ERR_AUTH_BODY', 'a stream')],
  ])('a stream whose request %s is let go of', async (_why, code, thrown) => {
    const covering = recordingScheme(code === 'ERR_AUTH_BODY' ? ['https://h'] : [])
    const authorize = (): never => {
      throw thrown()
    }
    const api = client.create({ ...covering, authorize })
    const source = new Readable({ read: () => {} })
    const closed = once(source, 'close')
    expect(await failure(api.put('https://h', source))).toMatchObject({ code })
    await closed

    let cancel = (): void => {}
    const cancelled = new Promise<void>((resolve) => (cancel = resolve))
    const stream = new ReadableStream({ cancel: () => cancel() })
    expect(await failure(api.put('https://h', stream))).toMatchObject({ code })
    await cancelled
  })

  test('a stream that fails before it is sent fails the request, and nothing else', async () => {
    const server = await serve()
    const source = new Readable({ read: () => {} })
    const scheme = recordingScheme([server.origin])
    const authorize = async (request: OutgoingRequest) => {
      source.destroy(new Error('the disk is gone'))
      await new Promise((resolve) => setImmediate(resolve))
      return scheme.authorize(request)
    }
    const api = client.create({ ...scheme, authorize })
    const error = await failure(api.put(server.origin, source))
    expect([error.message, String(error.cause)].join()).toContain('the disk is gone')
  })

  describe('a body that the scheme gives', () => {
    test('is sent in place of the request’s own, with its length', async () => {
      const server = await serve()
      const wrapped = Buffer.from('[bytes of the body]')
      const scheme = recordingScheme([server.origin], () => ({
        body: { ...streamBody(streamFrom(wrapped)), size: wrapped.byteLength },
      }))
      // `fetch` refuses a header that says how the body is framed.
      const headers = { ...(client.adapter === 'http' && { 'transfer-encoding': 'chunked' }) }
      await client.create(scheme).put(server.origin, Readable.from([bytes]), { headers })
      expect(server.arrived[0]?.body).toEqual(wrapped)
      expect(server.arrived[0]?.headers['content-length']).toBe('19')
      expect(server.arrived[0]?.headers).not.toHaveProperty('transfer-encoding')
    })

    test('is sent without a length where it has none', async () => {
      const server = await serve()
      const scheme = recordingScheme([server.origin], () => ({
        body: streamBody(streamFrom(Buffer.from('[bytes of the body]'))),
      }))
      const headers = { 'content-length': `${bytes.byteLength}` }
      await client.create(scheme).put(server.origin, Readable.from([bytes]), { headers })
      expect(server.arrived[0]?.body.toString()).toBe('[bytes of the body]')
      expect(server.arrived[0]?.headers).not.toHaveProperty('content-length')
    })

    test('fails the request with its own error', async () => {
      const server = await serve()
      const broken = new ReadableStream({
        pull: (controller) => controller.error(new Error('broken while signing')),
      })
      const scheme = recordingScheme([server.origin], () => ({ body: streamBody(broken) }))
      const error = await failure(client.create(scheme).put(server.origin, Readable.from([bytes])))
      expect(error.message).toBe('broken while signing')
    })
  })

  test('a large Blob arrives whole', async () => {
    const server = await serve(({ body }, response) => response.end(`${body.byteLength}`))
    const api = client.create(recordingScheme([server.origin]))
    const blob = new Blob([new Uint8Array(3 * 1024 * 1024)])
    const { data } = await api.put(server.origin, blob)
    expect(data).toBe(3 * 1024 * 1024)
    expect(server.arrived[0]?.headers['content-length']).toBe(`${3 * 1024 * 1024}`)
  })

  test('the limit and the progress of an upload are axios’ own', async () => {
    const server = await serve()
    const api = client.create(recordingScheme([server.origin]))
    let loaded = 0
    await api.put(server.origin, 'x'.repeat(1000), {
      onUploadProgress: (event) => (loaded = event.loaded),
    })
    expect(loaded).toBe(1000)
    expect(server.arrived[0]?.headers['content-length']).toBe('1000')

    // axios 1.7 knows this limit in its http adapter alone.
    if (client.adapter === 'fetch' && client.axios.VERSION.startsWith('1.7.')) return
    const error = await failure(api.put(server.origin, 'x'.repeat(1000), { maxBodyLength: 10 }))
    expect(error).toMatchObject({ isAxiosError: true, code: 'ERR_BAD_REQUEST' })
    expect(server.arrived).toHaveLength(1)
  })
})
