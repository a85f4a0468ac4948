import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { request as openRequest } from 'node:http'
import { PassThrough, Readable, Stream } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { authFetch } from '@svc/auth-hooks'
import { authGot } from '@svc/auth-hooks/got'
import type { AuthScheme, Fetch } from '@svc/types'
import got from 'got'
import { describe, expect, test } from 'vitest'
import { adapters, causes, type Send } from '../support/adapters.ts'
import { recordingScheme } from '../support/schemes.ts'
import { serve } from '../support/server.ts'

/** A `fetch` of a package, as node-fetch: it pipes a stream of Node's. */
const pipingFetch = ((url: string, { method, headers, body }: RequestInit & { body: Readable }) =>
  new Promise((resolve, reject) => {
    const options = { method: method ?? 'GET', headers: headers as Record<string, string> }
    const request = openRequest(url, options, (message) => {
      resolve(new Response(null, { status: message.resume().statusCode ?? 0 }))
    })
    body.pipe(request.on('error', reject))
  })) as unknown as Fetch

const piping: [name: string, connect: (scheme: AuthScheme) => Send] = [
  'authFetch over a fetch that pipes',
  (scheme) => {
    const send = authFetch(scheme, { fetch: pipingFetch })
    return async (url, init) => (await send(url, init as RequestInit)).status
  },
]

/** Those that are given a stream of Node's as it is. */
const clients = [
  ...adapters.filter(([name]) =>
    /^authFetch$|^authorizeRequest$|^authAxios|^authGot|request of undici/.test(name),
  ),
  piping,
]

const part = Buffer.alloc(40_000, 'x')
/** More than the buffers of a stream and of a hash hold. */
const whole = Buffer.concat(Array.from({ length: 12 }, () => part))

const streamOf = (...parts: Buffer[]) => Readable.from(parts, { objectMode: false })

/** A scheme that takes as long as a login for each request: a stream that nothing holds is over by then. */
function slowScheme(origin: string, duringLogin: () => unknown = () => {}): AuthScheme {
  const scheme = recordingScheme([origin])
  const login = async (): Promise<void> => {
    for (let turn = 0; turn < 60; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  }
  return {
    ...scheme,
    prepare: login,
    async authorize(request) {
      await duringLogin()
      await login()
      return scheme.authorize(request)
    },
  }
}

/** Streams that flow elsewhere too, each with what the other reader has got of it at last. */
const flowing: [kind: string, flow: (stream: Readable) => () => Promise<unknown>][] = [
  [
    'that a hash reads too',
    (stream) => {
      const hash = stream.pipe(createHash('sha256'))
      return () => hash.toArray()
    },
  ],
  [
    'with a listener that counts its bytes',
    (stream) => {
      let size = 0
      stream.on('data', ({ length }: Buffer) => (size += length))
      return async () => size
    },
  ],
  // As Node does for the output of a child that has ended.
  ['that was told to flow', (stream) => async () => void stream.resume()],
]

/** Those that are given a `Request` of it, too. */
const everyClient = [...adapters.filter(([name]) => !name.startsWith('light')), piping]

describe.each(everyClient)('%s', (_name, connect) => {
  test.each(flowing)('sends the whole of a stream %s during the login', async (_kind, flow) => {
    const server = await serve()
    const send = connect(slowScheme(server.origin))
    const body = streamOf(...Array.from({ length: 12 }, () => part))
    const read = flow(body)
    expect(await send(server.origin, { method: 'PUT', body })).toBe(200)
    expect(server.arrived.map((arrived) => arrived.body.length)).toEqual([whole.length])

    const alone = streamOf(whole)
    const readAlone = flow(alone)
    await buffer(alone)
    expect(await read()).toEqual(await readAlone())
  })
})

describe.each(clients)('%s', (name, connect) => {
  test('sends the whole of a stream that begins to flow during the login', async () => {
    const server = await serve()
    const body = streamOf(...Array.from({ length: 12 }, () => part))
    const hash = createHash('sha256')
    const send = connect(slowScheme(server.origin, () => void body.pipe(hash)))
    expect(await send(server.origin, { method: 'PUT', body })).toBe(200)
    expect(server.arrived.map((arrived) => arrived.body.length)).toEqual([whole.length])
    expect(await buffer(hash)).toEqual(createHash('sha256').update(whole).digest())
  })

  test.each([
    ['fails', new Error('the disk is gone')],
    ['is destroyed', undefined],
  ])('rejects, and sends nothing of a stream that %s during the login', async (_how, failure) => {
    const server = await serve()
    const body = new PassThrough()
    const send = connect(slowScheme(server.origin, () => void body.destroy(failure)))
    const error = await send(server.origin, { method: 'PUT', body }).catch((thrown) => thrown)
    const messages = causes(error).map(({ message }) => message)
    expect(messages.join('\n')).toMatch(
      failure ? failure.message : /Premature close|already read or destroyed|aborted/,
    )
    expect(server.arrived).toEqual([])
  })

  // `fetch` itself takes no stream that anything was read of.
  describe.skipIf(/^(?:authFetch|authorizeRequest)$/.test(name))('sends what is left of', () => {
    test.each([
      [
        'a stream whose kind was read from its first bytes, which were put back',
        (stream: Readable) => stream.unshift(stream.read(2)),
        'abcdef',
      ],
      ['a stream whose head was read', (stream: Readable) => stream.read(2), 'cdef'],
    ])('%s', async (_kind, peek, left) => {
      const server = await serve()
      const send = connect(slowScheme(server.origin))
      const body = streamOf(Buffer.from('abcdef'))
      await once(body, 'readable')
      peek(body)
      expect(await send(server.origin, { method: 'PUT', body })).toBe(200)
      expect(server.arrived.map((arrived) => arrived.body.toString())).toEqual([left])
    })
  })

  test('rejects a stream that it has begun to send, and sends nothing more of it', async () => {
    const server = await serve((_request, response) => response.writeHead(200).end())
    const body = streamOf(part, part)
    const send = connect(slowScheme(server.origin))
    const first = send(server.origin, { method: 'PUT', body })
    const error = await send(server.origin, { method: 'PUT', body }).catch((thrown) => thrown)
    await first.catch(() => {})
    expect(
      causes(error)
        .map(({ message }) => message)
        .join('\n'),
    ).toMatch(/already read/)
    expect(server.arrived.length).toBeLessThan(2)
  })
})

// Of an old package, such as readable-stream 2: nothing holds it, and got would wait for it, or send nothing.
test.each(clients.filter(([name]) => name.startsWith('authGot')))(
  '%s rejects an old stream that ends during the login',
  async (_name, connect) => {
    const server = await serve()
    const body = Object.assign(new Stream(), { readable: true, destroy() {}, unpipe() {} })
    const send = connect(
      slowScheme(server.origin, () => void Object.assign(body, { readable: false })),
    )
    const error = await send(server.origin, { method: 'PUT', body }).catch((thrown) => thrown)
    expect(error).toMatchObject({ code: 'ERR_AUTH_BODY' })
    expect(server.arrived).toEqual([])
  },
)

test('a stream is let go of though authGot stands twice in the chain of got', async () => {
  const server = await serve()
  const scheme = slowScheme(server.origin)
  const api = got.extend(authGot(scheme)).extend(authGot(scheme))
  await api.put(server.origin, { body: streamOf(part, part), retry: { limit: 0 } })
  expect(server.arrived.map(({ body }) => body.length)).toEqual([80_000])
})
