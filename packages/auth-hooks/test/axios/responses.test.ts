import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { authAxios } from '@svc/auth-hooks/axios'
import axios, { type AxiosError } from 'axios'
import { describe, expect, test } from 'vitest'
import { recordingScheme, rejects401 } from '../support/schemes.ts'
import { serve } from '../support/server.ts'
import { type AxiosClient, clients, failure, listen, readStream } from './clients.ts'

async function refusing(client: AxiosClient, refusal = 'refused', refusals = 1) {
  const server = await serve((request, response) => {
    response.statusCode = request.count <= refusals ? 401 : 200
    response.end(request.count <= refusals ? refusal : 'ok')
  })
  const scheme = recordingScheme([server.origin], () => ({ review: rejects401 }))
  return { server, scheme, api: client.create(scheme), url: server.origin }
}

describe.each(clients)('%s', (_name, client) => {
  const isHttp = client.adapter === 'http'

  describe('reads a response as it is asked to:', () => {
    test.each([
      ['json', { a: 1 }],
      ['text', '{"a":1}'],
      [undefined, { a: 1 }],
    ] as const)('%s', async (responseType, expected) => {
      const { api, url } = await refusing(client)
      const server = await serve((_request, response) => response.end('{"a":1}'))
      const own = client.create(recordingScheme([server.origin]))
      expect((await own.get(server.origin, responseType && { responseType })).data).toEqual(
        expected,
      )
      expect((await api.get(url, responseType && { responseType: 'text' })).data).toBe('ok')
    })

    test('arraybuffer', async () => {
      const { api, url } = await refusing(client)
      const { data } = await api.get(url, { responseType: 'arraybuffer' })
      expect(Buffer.from(data).toString()).toBe('ok')
    })

    test('stream', async () => {
      const { api, url, server } = await refusing(client)
      const { data, status } = await api.get(url, { responseType: 'stream' })
      expect(status).toBe(200)
      expect(await readStream(data)).toBe('ok')
      expect(server.arrived).toHaveLength(2)
    })

    test.each([
      ['gzip', gzipSync],
      ['br', brotliCompressSync],
    ])('compressed with %s', async (encoding, compress) => {
      const server = await serve((_request, response) => {
        response.setHeader('content-encoding', encoding).end(compress('{"a":1}'))
      })
      const api = client.create(recordingScheme([server.origin]))
      expect((await api.get(server.origin)).data).toEqual({ a: 1 })
      const { data } = await api.get(server.origin, { responseType: 'stream' })
      expect(await readStream(data)).toBe('{"a":1}')
    })

    test('without a body', async () => {
      const server = await serve((_request, response) => response.writeHead(204).end())
      const api = client.create(recordingScheme([server.origin]))
      expect(await api.delete(server.origin)).toMatchObject({ status: 204, data: '' })
      expect(await api.head(server.origin)).toMatchObject({ status: 204, data: '' })
    })

    test('with its progress, and no more of it than is allowed', async () => {
      const { api, url } = await refusing(client, 'x'.repeat(10))
      let loaded = 0
      await api.get(url, { onDownloadProgress: (event) => (loaded = event.loaded) })
      // Where axios reads a refusal before anyone sees it, it counts that too.
      expect(loaded).toBe(isHttp ? 2 : loaded)

      if (!isHttp && client.axios.VERSION.startsWith('1.7.')) return
      const error = await failure(api.get(url, { maxContentLength: 1 }))
      expect(error).toMatchObject({ isAxiosError: true, code: 'ERR_BAD_RESPONSE' })
      expect(error.message).toBe('maxContentLength size of 1 exceeded')
    })
  })

  test('asks validateStatus about the final response alone', async () => {
    const { api, url, server } = await refusing(client)
    const asked: number[] = []
    const validateStatus = (status: number): boolean => asked.push(status) > 0
    await api.get(url, { validateStatus })
    expect(asked).toEqual([200])
    expect(server.arrived).toHaveLength(2)
  })

  test.each([
    [404, 'ERR_BAD_REQUEST'],
    [503, 'ERR_BAD_RESPONSE'],
  ])('throws for a %i what axios throws', async (status, code) => {
    const server = await serve((_request, response) => response.writeHead(status).end('{"a":1}'))
    const api = client.create(recordingScheme([server.origin]))
    const error = (await failure(api.get('/p', { baseURL: server.origin }))) as AxiosError
    const plain = await failure(
      client.axios.get('/p', { baseURL: server.origin, adapter: client.adapter }),
    )

    expect(error).toBeInstanceOf(client.axios.AxiosError)
    expect(error).toMatchObject({ name: 'AxiosError', code, status, message: plain.message })
    expect(error.response).toMatchObject({ status, data: { a: 1 } })
    expect(error.config).toMatchObject({ baseURL: server.origin, url: '/p' })
    expect(error.response?.config).toBe(error.config)
  })

  test('a refusal that comes again is the caller’s', async () => {
    const { api, url, server } = await refusing(client, 'still refused', 9)
    const error = (await failure(api.get(url))) as AxiosError
    expect(error.response).toMatchObject({ status: 401, data: 'still refused' })
    expect(server.arrived).toHaveLength(2)
  })

  describe('while the scheme looks at the head of a response', () => {
    /** A server that responds and closes, and a scheme that looks at the response until it has. */
    async function closing(respond: (response: ServerResponse) => void) {
      let closed: Promise<unknown> = Promise.resolve()
      const origin = await listen(
        createServer((request, response) => {
          closed = once(request.socket, 'close')
          respond(response)
        }),
      )
      const review = async (): Promise<undefined> => {
        await closed
        // The client hears of it in turns of its own.
        for (let turn = 0; turn < 5; turn += 1) {
          await new Promise((resolve) => setImmediate(resolve))
        }
      }
      return client.create(recordingScheme([origin], () => ({ review }))).get(origin)
    }

    test('the server may close', async () => {
      const sent = closing((response) => {
        response.writeHead(200, { connection: 'close' }).end('there')
      })
      expect((await sent).data).toBe('there')
    })

    test('the connection may fail, which fails the request', async () => {
      const sent = closing((response) => {
        response.writeHead(200, { 'content-length': 100 }).write('part')
        setImmediate(() => response.destroy())
      })
      expect(await failure(sent)).toMatchObject({ isAxiosError: true })
    })
  })

  test.each(['json', 'stream'] as const)(
    'connections of responses that nobody reads serve later attempts: %s',
    async (responseType) => {
      const server = await serve((request, response) => {
        response.statusCode = request.count % 2 === 1 ? 401 : 200
        response.end('x'.repeat(20_000))
      })
      const api = client.create(recordingScheme([server.origin], () => ({ review: rejects401 })))
      for (let call = 0; call < 4; call += 1) {
        const { data } = await api.get(server.origin, { responseType })
        if (responseType === 'stream') await readStream(data)
      }
      expect(server.arrived).toHaveLength(8)
      expect(server.sockets()).toBeLessThanOrEqual(2)
    },
  )

  test('a stream that nobody reads, and that is long, is cancelled', async () => {
    let cancelled: Promise<unknown> | undefined
    const server = await serve(({ count }, response) => {
      if (count > 1) {
        response.end('there')
        return
      }
      cancelled = once(response, 'close')
      response.writeHead(401).write('x'.repeat(100_000))
    })
    const api = client.create(recordingScheme([server.origin], () => ({ review: rejects401 })))
    const { data } = await api.get(server.origin, { responseType: 'stream' })
    expect(await readStream(data)).toBe('there')
    await cancelled
  })
})

describe.each(clients.filter(([, { adapter }]) => adapter === 'http'))('%s', (_name, client) => {
  test('an upload that was refused before its end is given up', async () => {
    let first: Socket | undefined
    let closed: Promise<unknown> | undefined
    const origin = await listen(
      createServer((request, response) => {
        response.statusCode = first ? 200 : 401
        first ??= request.socket
        // Its server takes the end for an error, which is of no matter.
        closed ??= new Promise((resolve) => request.socket.once('close', resolve))
        response.end('response')
      }),
    )
    const blob = new Blob([new Uint8Array(24 * 1024 * 1024)])
    const api = client.create(recordingScheme([origin], () => ({ review: rejects401 })))
    expect((await api.put(origin, blob)).status).toBe(200)
    await closed
    expect(first?.bytesRead).toBeLessThan(blob.size)
  })

  describe('an unwanted response whose body never ends', () => {
    test.each([302, 401])('does not hold up what follows a %i', async (status) => {
      const server = await serve(({ count }, response) => {
        if (count > 1) response.end('there')
        else response.writeHead(status, { location: '/there' }).write('endless')
      })
      const api = client.create(recordingScheme([server.origin], () => ({ review: rejects401 })))
      expect((await api.get(server.origin)).data).toBe('there')
    })
  })
})

describe.each(clients.filter(([, { adapter }]) => adapter === 'fetch'))('%s', (_name, client) => {
  test('reads a response as blob and formdata', async () => {
    const server = await serve(({ path }, response) => {
      if (path === '/blob') response.end('of the blob')
      else response.setHeader('content-type', 'application/x-www-form-urlencoded').end('a=b')
    })
    const api = client.create(recordingScheme([server.origin]))
    const blob = await api.get(`${server.origin}/blob`, { responseType: 'blob' })
    expect(await blob.data.text()).toBe('of the blob')
    const form = await api.get(`${server.origin}/form`, { responseType: 'formdata' })
    expect(form.data.get('a')).toBe('b')
  })
})

test('a fetch of the configuration is called with what axios gives it, and with nothing of ours', async () => {
  const inits: unknown[] = []
  const fetch: typeof globalThis.fetch = async (...[, init]) => {
    inits.push(init)
    return new Response('there', { status: inits.length % 2 === 1 ? 401 : 200 })
  }
  const scheme = recordingScheme(['https://h'], () => ({ review: rejects401 }))
  const api = axios.create({ ...authAxios(scheme, { adapter: 'fetch' }), env: { fetch } })
  for (const path of ['a', 'b']) {
    const options = { fetchOptions: { cache: 'no-store' } } as const
    expect((await api.get(`https://h/${path}`, options)).data).toBe('there')
  }
  const init = { cache: 'no-store', redirect: 'manual' }
  expect(inits).toEqual([init, init, init, init])
})
