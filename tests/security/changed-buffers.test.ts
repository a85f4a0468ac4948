import { authFetch, type Authorization, type AuthScheme, type OutgoingBody } from '@svc/auth-hooks'
import { createSigV4Auth, type SigV4AuthOptions } from '@svc/auth-sigv4'
import { nativeEngine } from '@svc/auth-sigv4/native'
import { createEmulator, defaultApiKeys } from '@svc/emulator'
import { createHash } from 'node:crypto'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { createServer, type ServerResponse } from 'node:http'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { adapters } from '../../packages/auth-hooks/test/support/adapters.ts'
import { listenOnLoopback } from '../support/loopback.ts'

const large = 1024 * 1024
/** Large bodies and small ones. */
const sizes = [large, 1024]

const bytesOf = (size: number): Uint8Array<ArrayBuffer> => new Uint8Array(size).fill(97)
const detach = (body: ArrayBufferView<ArrayBuffer>): void =>
  void structuredClone(body.buffer, { transfer: [body.buffer] })

/** Everything that a caller may do to a buffer while its request is under way. */
const changes: [name: string, change: (body: Uint8Array<ArrayBuffer>) => void][] = [
  ['changed', (body) => void body.fill(98)],
  ['detached', detach],
]

/** A request as it arrived, with the hash of its body and the one that was signed. */
interface Arrived {
  readonly hash: string
  readonly signedHash: string | undefined
  readonly body: Buffer
}

/** Starts a server that responds to each request as the next of these functions does. */
async function serve(
  ...respond: ((response: ServerResponse) => void)[]
): Promise<{ origin: string; arrived: Arrived[] }> {
  const arrived: Arrived[] = []
  const server = createServer(async (incoming, outgoing) => {
    const body = Buffer.concat(await incoming.toArray())
    const hash = createHash('sha256').update(body).digest('hex')
    arrived.push({ hash, signedHash: incoming.headers['x-amz-content-sha256'] as string, body })
    respond[arrived.length - 1]?.(outgoing)
    outgoing.end('the response')
  })
  const { url, close } = await listenOnLoopback(server)
  onTestFinished(close)
  return { origin: url.origin, arrived }
}

function sigV4(baseUrl: string, options: Partial<SigV4AuthOptions> = {}): AuthScheme {
  const credentials = defaultApiKeys[0]
  return createSigV4Auth({ baseUrl, region: 'us-east-1', credentials, ...options })
}

function expectSigned(arrived: readonly Arrived[], count: number): void {
  expect(arrived).toHaveLength(count)
  expect(arrived.map(({ hash }) => hash)).toEqual(arrived.map(({ signedHash }) => signedHash))
}

/** Sends a body, and changes it as soon as the call has returned. */
async function sendAndChange(
  scheme: AuthScheme,
  url: string,
  body: Uint8Array<ArrayBuffer>,
  options: Parameters<typeof authFetch>[1] = {},
): Promise<Response> {
  const pending = authFetch(scheme, options)(url, { method: 'PUT', body })
  body.fill(99)
  return pending
}

describe('the platform’s fetch sends a body as it was when it was called', () => {
  const view = (buffer: ArrayBufferLike): Uint8Array => new Uint8Array(buffer)
  const resizable = (size: number): ArrayBuffer => {
    const options = { maxByteLength: 2 * size }
    // Its second argument is younger than the types.
    return Reflect.construct(ArrayBuffer, [size, options]) as ArrayBuffer
  }
  const kinds: [name: string, make: (size: number) => ArrayBufferView | ArrayBufferLike][] = [
    ['a Uint8Array', bytesOf],
    ['an ArrayBuffer', (size) => new ArrayBuffer(size)],
    ['a part of an ArrayBuffer', (size) => new Uint8Array(new ArrayBuffer(3 * size), size, size)],
    ['a DataView', (size) => new DataView(new ArrayBuffer(size))],
    ['a Float64Array', (size) => new Float64Array(size / 8)],
    ['a Buffer', (size) => Buffer.from('a'.repeat(size))],
    ['a SharedArrayBuffer', (size) => new SharedArrayBuffer(size)],
    ['a view of shared memory', (size) => view(new SharedArrayBuffer(size))],
    ['a resizable buffer', resizable],
    ['a view of a resizable buffer', (size) => view(resizable(size))],
  ]
  describe.each(kinds)('%s', (_, make) => {
    test.each(sizes)('of %i bytes', async (size) => {
      const { origin, arrived } = await serve()
      const body = make(size)
      const bytes = ArrayBuffer.isView(body)
        ? new Uint8Array(body.buffer, body.byteOffset, body.byteLength)
        : view(body)
      const before = createHash('sha256').update(bytes).digest('hex')
      const init = { method: 'PUT', body: body as ArrayBuffer }
      const pending = authFetch(sigV4(origin))(`${origin}/V1/a`, init)
      bytes.fill(99)
      await pending
      expectSigned(arrived, 1)
      expect(arrived[0]?.hash).toBe(before)
    })
  })

  test.each(sizes)('also if it is detached: %i bytes', async (size) => {
    const { origin, arrived } = await serve()
    const body = bytesOf(size)
    const pending = authFetch(sigV4(origin))(`${origin}/V1/a`, { method: 'PUT', body })
    detach(body)
    await pending
    expectSigned(arrived, 1)
    expect(arrived[0]?.body).toHaveLength(size)
  })
})

describe('a buffer that is detached already', () => {
  const views: [name: string, bodyOf: (buffer: ArrayBuffer) => ArrayBufferView | ArrayBuffer][] = [
    ['buffer', (buffer) => buffer],
    ['view', (buffer) => new Uint8Array(buffer)],
    ['DataView', (buffer) => new DataView(buffer)],
  ]
  test.each(views)('as a %s is an ERR_AUTH_BODY, and nothing is sent', async (_, bodyOf) => {
    const { origin, arrived } = await serve()
    const buffer = new ArrayBuffer(large)
    const body = bodyOf(buffer) as ArrayBuffer
    structuredClone(buffer, { transfer: [buffer] })
    const pending = authFetch(sigV4(origin))(`${origin}/V1/a`, { method: 'PUT', body })
    await expect(pending).rejects.toMatchObject({ code: 'ERR_AUTH_BODY' })
    await expect(pending).rejects.toThrow('detached')
    expect(arrived).toEqual([])
  })
})

describe.each(sizes)('what is hashed is what is sent, of %i bytes, if they are changed', (size) => {
  test('in the credentials function', async () => {
    const { origin, arrived } = await serve()
    const body = bytesOf(size)
    const credentials = async (): Promise<(typeof defaultApiKeys)[0]> => {
      body.fill(98)
      await Promise.resolve()
      body.fill(99)
      return defaultApiKeys[0]
    }
    await sendAndChange(sigV4(origin, { credentials }), `${origin}/V1/a`, body)
    expectSigned(arrived, 1)
    expect(arrived[0]?.body).toHaveLength(size)
  })

  test('in onEvent, and by a subscriber of the diagnostics channel', async () => {
    const { origin, arrived } = await serve()
    const body = bytesOf(size)
    const onEvent = (): void => void body.fill(98)
    await sendAndChange(sigV4(origin, { onEvent }), `${origin}/V1/a`, body)
    subscribe('svc-auth', onEvent)
    onTestFinished(() => void unsubscribe('svc-auth', onEvent))
    await sendAndChange(sigV4(origin), `${origin}/V1/a`, bytesOf(size))
    expectSigned(arrived, 2)
    expect(arrived[0]?.body).toHaveLength(size)
  })

  test('in an engine of a user’s own, made of ours', async () => {
    const { origin, arrived } = await serve()
    const body = bytesOf(size)
    const own = nativeEngine()
    const sign: typeof own.sign = (key, text) => {
      body.fill(98)
      return own.sign(key, text)
    }
    await sendAndChange(sigV4(origin, { engine: { ...own, sign } }), `${origin}/V1/a`, body)
    expectSigned(arrived, 1)
    expect(arrived[0]?.body).toHaveLength(size)
  })

  test('in a function of ours that a user has replaced', async () => {
    const { origin, arrived } = await serve()
    const body = bytesOf(size)
    const engine = nativeEngine()
    const own = nativeEngine()
    engine.hash = async (data) => {
      await Promise.resolve()
      return own.hash(data)
    }
    await sendAndChange(sigV4(origin, { engine }), `${origin}/V1/a`, body)
    expectSigned(arrived, 1)
    expect(arrived[0]?.body[0]).toBe(97)
  })

  test('by a getter that gives another one each time', async () => {
    const { origin, arrived } = await serve()
    let reads = 0
    const init: RequestInit = {
      method: 'PUT',
      get body() {
        reads += 1
        return bytesOf(size).fill(reads)
      },
    }
    const response = await authFetch(sigV4(origin))(`${origin}/V1/a`, init)
    expect(response.status).toBe(200)
    expectSigned(arrived, 1)
  })

  test('in a scheme around ours that waits', async () => {
    const { origin, arrived } = await serve()
    const body = bytesOf(size)
    const inner = sigV4(origin)
    const authorize: AuthScheme['authorize'] = async (request) => {
      await Promise.resolve()
      return inner.authorize(request)
    }
    await sendAndChange({ ...inner, authorize }, `${origin}/V1/a`, body)
    expectSigned(arrived, 1)
    expect(arrived[0]?.body[0]).toBe(97)
  })

  test('in a scheme around ours that sends the body piece by piece, as for its progress', async () => {
    const { origin, arrived } = await serve()
    const body = bytesOf(size)
    const inner = sigV4(origin)
    const authorize: AuthScheme['authorize'] = (request) => {
      const given = request.body as OutgoingBody
      const chunks = async function* (): AsyncGenerator<Uint8Array> {
        yield* given.chunks()
      }
      // The native engine gives no promise.
      return { ...(inner.authorize(request) as Authorization), body: { ...given, size, chunks } }
    }
    await sendAndChange({ ...inner, authorize }, `${origin}/V1/a`, body)
    expectSigned(arrived, 1)
    expect(arrived[0]?.body[0]).toBe(97)
  })

  test('in the inner fetch, before it sends', async () => {
    const { origin, arrived } = await serve()
    const body = bytesOf(size)
    const slow: typeof fetch = async (input, init) => {
      body.fill(98)
      await Promise.resolve()
      return fetch(input, init)
    }
    await sendAndChange(sigV4(origin), `${origin}/V1/a`, body, { fetch: slow })
    expectSigned(arrived, 1)
    expect(arrived[0]?.body[0]).toBe(97)
  })

  test('by a global fetch that came later', async () => {
    const { origin, arrived } = await serve()
    const body = bytesOf(size)
    const platform = globalThis.fetch
    onTestFinished(() => void (globalThis.fetch = platform))
    globalThis.fetch = async (input, init) => {
      body.fill(98)
      await Promise.resolve()
      return platform(input, init)
    }
    await sendAndChange(sigV4(origin), `${origin}/V1/a`, body)
    expectSigned(arrived, 1)
    expect(arrived[0]?.body[0]).toBe(97)
  })

  test('by a global fetch that was there before the package', async () => {
    const { origin, arrived } = await serve()
    const body = bytesOf(size)
    const platform = globalThis.fetch
    onTestFinished(() => void (globalThis.fetch = platform))
    globalThis.fetch = async (input, init) => {
      await Promise.resolve()
      return platform(input, init)
    }
    vi.resetModules()
    const hooks = await import('@svc/auth-hooks')
    const init = { method: 'PUT', body }
    const pending = hooks.authFetch(sigV4(origin))(`${origin}/V1/a`, init)
    body.fill(98)
    await pending
    expectSigned(arrived, 1)
    expect(arrived[0]?.body[0]).toBe(97)
  })

  test.each(['UNSIGNED-PAYLOAD', '0'.repeat(64)])(
    'under a hash of the caller’s own: %s',
    async (hash) => {
      const { origin, arrived } = await serve()
      const body = bytesOf(size)
      const headers = { 'x-amz-content-sha256': hash }
      const init = { method: 'PUT', body, headers }
      const pending = authFetch(sigV4(origin))(`${origin}/V1/a`, init)
      body.fill(98)
      await pending
      expect(arrived[0]?.body[0]).toBe(97)
    },
  )
})

describe('a wrong clock', () => {
  // So far off that the request is signed anew.
  const refuse = (response: ServerResponse): void => {
    response.setHeader('date', new Date(Date.now() + 600_000).toUTCString())
    response.statusCode = 403
  }

  test.each(sizes)('has %i bytes sent again', async (size) => {
    const { origin, arrived } = await serve(refuse)
    const body = bytesOf(size)
    const response = await authFetch(sigV4(origin))(`${origin}/V1/a`, { method: 'PUT', body })
    expect(response.status).toBe(200)
    expectSigned(arrived, 2)
  })

  test('has them sent again as often as there is a reason', async () => {
    const { origin, arrived } = await serve()
    const inner = sigV4(origin)
    const authorize: AuthScheme['authorize'] = (request) => {
      const review = (): string | undefined =>
        request.attempt < 4 ? `${request.attempt}` : undefined
      // The native engine gives no promise.
      return { ...(inner.authorize(request) as Authorization), review }
    }
    const body = bytesOf(large)
    await authFetch({ ...inner, authorize })(`${origin}/V1/a`, { method: 'PUT', body })
    expectSigned(arrived, 4)
    expect(arrived[3]?.body).toHaveLength(large)
  })

  test.each(changes)(
    'has the same bytes sent again if the caller’s are %s meanwhile',
    async (_, change) => {
      const body = bytesOf(large)
      const { origin, arrived } = await serve((response) => {
        refuse(response)
        change(body)
      })
      const response = await authFetch(sigV4(origin))(`${origin}/V1/a`, { method: 'PUT', body })
      expect(response.status).toBe(200)
      expectSigned(arrived, 2)
      expect(arrived[1]?.body.equals(bytesOf(large))).toBe(true)
    },
  )
})

test('a scheme that signs no body has the same bytes sent again', async () => {
  const body = bytesOf(large)
  const { origin, arrived } = await serve(() => void body.fill(98))
  const review = (): 'rejected' => 'rejected'
  const scheme: AuthScheme = {
    name: 'api-key',
    covers: () => true,
    authorize: () => ({ scheme: 'api-key', headers: [], review }),
  }
  await authFetch(scheme)(`${origin}/V1/a`, { method: 'PUT', body })
  expect(arrived.map((request) => request.body[0])).toEqual([97, 97])
})

describe('a redirect', () => {
  const redirect = (response: ServerResponse): void => {
    response.writeHead(307, { location: '/V1/b' })
  }

  test.each(sizes)('gets %i bytes', async (size) => {
    const { origin, arrived } = await serve(redirect, redirect)
    const body = bytesOf(size)
    const response = await authFetch(sigV4(origin))(`${origin}/V1/a`, { method: 'PUT', body })
    expect(response.status).toBe(200)
    expectSigned(arrived, 3)
  })

  test.each(changes)('gets the same bytes if the caller’s are %s meanwhile', async (_, change) => {
    const body = bytesOf(large)
    const { origin, arrived } = await serve((response) => {
      redirect(response)
      change(body)
    })
    const response = await authFetch(sigV4(origin))(`${origin}/V1/a`, { method: 'PUT', body })
    expect(response.status).toBe(200)
    expectSigned(arrived, 2)
    expect(arrived[1]?.body.equals(bytesOf(large))).toBe(true)
  })

  test('that drops the body minds no change', async () => {
    const body = bytesOf(large)
    const { origin, arrived } = await serve((response) => {
      response.writeHead(303, { location: '/V1/b' })
      body.fill(98)
    })
    const response = await authFetch(sigV4(origin))(`${origin}/V1/a`, { method: 'PUT', body })
    expect(response.status).toBe(200)
    expect(arrived).toHaveLength(2)
  })
})

describe.each(adapters)('%s', (_, connect) => {
  test.each(sizes)('sends what it signed, of %i bytes that the caller changes', async (size) => {
    const emulator = createEmulator()
    const server = await emulator.listen()
    const { origin } = server.url
    onTestFinished(() => server.close())
    const body = Buffer.from(bytesOf(size))
    const pending = connect(sigV4(origin))(`${origin}/V1/a`, { method: 'PUT', body })
    body.fill(98)
    await pending
    expect(emulator.requests.map(({ auth }) => auth)).toMatchObject([{ ok: true }])
  })
})
