import { AuthError, authFetch } from '@svc/auth-hooks'
import { diagnose } from '@svc/auth-sigv4/diagnose'
import type { Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, test, vi } from 'vitest'
import { NotPossible, titleOf } from '../clients/client.ts'
import { triedClients } from '../clients/libraries/index.ts'
import { type RawServer, type ReceivedRequest, responseText, serveRaw } from './raw-server.ts'
import { serviceAuth, sigV4Auth, tokenAuth } from './schemes.ts'
import { makeJwt } from './secrets.ts'

const jwt = makeJwt('hostile')
const loginText = responseText(200, {}, JSON.stringify({ Token: jwt }))
const megabyte = 1024 * 1024
/** 16 MiB of blanks in 16 KiB: what undoes them must stop long before their end. */
const bomb = gzipSync(Buffer.alloc(16 * megabyte, ' ')).toString('latin1')

type Respond = (socket: Socket, request: ReceivedRequest) => void

const text =
  (...parameters: Parameters<typeof responseText>): Respond =>
  (socket) =>
    socket.write(responseText(...parameters), 'latin1')
const raw =
  (bytes: string): Respond =>
  (socket) =>
    socket.end(bytes, 'latin1')

/** Writes for as long as the client takes it. */
const endless =
  (head: string, piece: string): Respond =>
  (socket) => {
    const more = (): void => {
      while (!socket.destroyed && socket.write(piece, 'latin1'));
    }
    socket.write(head)
    socket.on('drain', more)
    more()
  }

/** Gives a byte, and nothing more. */
const stuck =
  (bytes: string): Respond =>
  (socket) =>
    socket.write(bytes)

const head = 'HTTP/1.1 200 OK\r\n'
const chunked = `${head}transfer-encoding: chunked\r\n\r\n`
const manyHeaders = Array.from({ length: 100_000 }, (_, index) => `a${index}:b\n`).join('')
const deep = '['.repeat(100_000) + ']'.repeat(100_000)

/** Responses that come to nothing good, however they are read. */
const broken: Readonly<Record<string, Respond>> = {
  'no HTTP': raw('what?\r\n\r\n'),
  'another version': raw('HTTP/9.9 200 OK\r\n\r\n'),
  'a status that is none': raw('HTTP/1.1 99999 No\r\n\r\n'),
  'two lengths': raw(`${head}content-length: 1\r\ncontent-length: 2\r\n\r\nab`),
  'a length and chunks': raw(
    `${head}content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
  ),
  'a length that is negative': raw(`${head}content-length: -1\r\n\r\n`),
  'a header without a colon': raw(`${head}colon\r\n\r\n`),
  'a NUL in a header': raw(`${head}a: \0\r\n\r\n`),
  'a mebibyte in one header': raw(`${head}a: ${'b'.repeat(megabyte)}\r\n\r\n`),
  'a mebibyte of headers': raw(`${head}${'a: b\r\n'.repeat(megabyte / 6)}\r\n`),
  'nothing at all': (socket) => socket.end(),
  'a reset': (socket) => socket.resetAndDestroy(),
}

describe('a login is a typed error, in bounded memory and time, where the server responds with', () => {
  const codes: Readonly<Record<string, readonly [code: string, respond: Respond]>> = {
    ...Object.fromEntries(
      Object.entries(broken).map(([name, respond]) => [name, ['ERR_AUTH_LOGIN_NETWORK', respond]]),
    ),
    'less than its length': ['ERR_AUTH_LOGIN_NETWORK', raw(`${head}content-length: 99\r\n\r\n{}`)],
    'more than its length': [
      'ERR_AUTH_LOGIN_NOT_JSON',
      raw(`${head}content-length: 1\r\n\r\n{"Token":"a"}`),
    ],
    'chunks that are none': ['ERR_AUTH_LOGIN_NETWORK', raw(`${chunked}zz\r\n`)],
    'gzip that is none': [
      'ERR_AUTH_LOGIN_NETWORK',
      text(200, { 'content-encoding': 'gzip' }, 'no'),
    ],
    'a compressed bomb': [
      'ERR_AUTH_LOGIN_TOO_LARGE',
      text(200, { 'content-encoding': 'gzip' }, bomb),
    ],
    'a bomb in a bomb': [
      'ERR_AUTH_LOGIN_TOO_LARGE',
      text(
        200,
        { 'content-encoding': 'gzip, gzip' },
        gzipSync(Buffer.from(bomb, 'latin1')).toString('latin1'),
      ),
    ],
    'a refusal that is a bomb': [
      'ERR_AUTH_LOGIN_REFUSED',
      text(401, { 'content-encoding': 'gzip' }, bomb),
    ],
    'a body that never ends': [
      'ERR_AUTH_LOGIN_TOO_LARGE',
      endless(`${head}\r\n`, ' '.repeat(65_536)),
    ],
    'chunks that never end': [
      'ERR_AUTH_LOGIN_TOO_LARGE',
      endless(chunked, `4000\r\n${' '.repeat(0x4000)}\r\n`),
    ],
    'a refusal that never ends': [
      'ERR_AUTH_LOGIN_REFUSED',
      endless('HTTP/1.1 403 No\r\n\r\n', ' '.repeat(65_536)),
    ],
    'headers that never end': ['ERR_AUTH_LOGIN_NETWORK', endless(head, 'a: b\r\n')],
    'interim responses that never end': [
      'ERR_AUTH_LOGIN_TIMEOUT',
      endless('', 'HTTP/1.1 102 Wait\r\n\r\n'),
    ],
    'a byte of the head': ['ERR_AUTH_LOGIN_TIMEOUT', stuck('H')],
    'a byte of the body': ['ERR_AUTH_LOGIN_TIMEOUT', stuck(`${head}\r\n{`)],
    'JSON of 100 000 levels': ['ERR_AUTH_LOGIN_NO_TOKEN', text(200, {}, deep)],
    'JSON of 100 000 levels beside no token': [
      'ERR_AUTH_LOGIN_NO_TOKEN',
      text(200, {}, `{"a":${deep}}`),
    ],
    'JSON that breaks off in its depth': [
      'ERR_AUTH_LOGIN_NOT_JSON',
      text(200, {}, '{"a":'.repeat(100_000)),
    ],
    'a redirect to itself': ['ERR_AUTH_LOGIN_REDIRECT', text(307, { location: '/user/login' })],
  }

  test.each(Object.entries(codes))('%s', async (name, [code, respond]) => {
    const server = await serveRaw(respond)
    const now = Date.now()
    const isSlow = code === 'ERR_AUTH_LOGIN_TIMEOUT'
    const auth = tokenAuth(server.origin, {
      clock: () => now,
      ...(isSlow && { loginTimeoutMs: 50 }),
    })
    const error = await failure(authFetch(auth)(`${server.origin}/user/groups`))
    expect(error).toMatchObject({ code })
    expect(AuthError.is(error)).toBe(true)
    if (isSlow || name.includes('never end')) await expectClosed(server)
  })

  test('a Retry-After of ages, which holds back logins for 15 minutes at most', async () => {
    const server = await serveRaw(text(503, { 'retry-after': '9'.repeat(400) }))
    const now = Date.now()
    expect(await failure(tokenAuth(server.origin, { clock: () => now }).getToken())).toMatchObject({
      code: 'ERR_AUTH_LOGIN_REFUSED',
      retryAt: now + 15 * 60_000,
    })
  })

  test('a token with claims of 100 000 levels is a token of 24 hours', async () => {
    const token = `e30.${Buffer.from(`{"a":${deep}}`).toString('base64url')}.x`
    const server = await serveRaw(text(200, {}, JSON.stringify({ Token: token })))
    const auth = tokenAuth(server.origin, { clock: () => 0 })
    expect(await auth.getToken()).toBe(token)
    expect(auth.inspect().expiresAt).toBe(24 * 3_600_000)
  })
})

describe('a request gets one response, with a good token and a good connection, after a refusal that is', () => {
  test.each<[name: string, respond: Respond]>([
    ['a bomb', text(401, { 'content-encoding': 'gzip' }, bomb)],
    ['without an end', endless('HTTP/1.1 401 No\r\n\r\n', ' '.repeat(65_536))],
    ['a byte, and no more', stuck('HTTP/1.1 401 No\r\n\r\n ')],
    ['shorter than its length', raw('HTTP/1.1 401 No\r\ncontent-length: 9\r\n\r\nno')],
  ])('%s', async (name, respond) => {
    let refused: Socket | undefined
    const server = await serveRaw((socket, request) => {
      if (request.path === '/user/login') socket.write(loginText)
      else if (!refused) {
        refused = socket
        respond(socket, request)
      } else socket.write(responseText(200, {}, 'there'))
    })
    const response = await authFetch(tokenAuth(server.origin))(`${server.origin}/user/groups`)
    expect(response.status).toBe(200)
    expect(await response.text()).toBe('there')
    if (!name.includes('no more')) return
    // A second later; what was read to its end is kept for a later request.
    await vi.waitFor(() => expect(refused?.destroyed).toBe(true), { timeout: 30_000 })
  })
})

describe('of a compressed bomb no more is read than is needed', () => {
  test('for a login', async () => {
    const server = await serveRaw(text(200, { 'content-encoding': 'gzip' }, bomb))
    const { fetch, readBytes } = countingFetch()
    expect(await failure(tokenAuth(server.origin, { fetch }).getToken())).toMatchObject({
      code: 'ERR_AUTH_LOGIN_TOO_LARGE',
    })
    expect(await readBytes()).toSatisfy((size: number) => size > 0 && size < 2 * megabyte)
  })

  test('for a refusal, before the request is sent once more', async () => {
    const server = await serveRaw((socket, request) => {
      if (request.path === '/user/login') socket.write(loginText)
      else if (request.count > 2) socket.write(responseText(200))
      else text(401, { 'content-encoding': 'gzip' }, bomb)(socket, request)
    })
    const { fetch, readBytes } = countingFetch()
    const send = authFetch(tokenAuth(server.origin), { fetch })
    const response = await send(`${server.origin}/user/groups`)
    expect(await response.text()).toBe('')
    expect(await readBytes()).toSatisfy((size: number) => size > 0 && size < megabyte)
  })

  test('for a diagnosis', async () => {
    const server = await serveRaw(text(403, { 'content-encoding': 'gzip' }, bomb))
    const { fetch, readBytes } = countingFetch()
    const auth = sigV4Auth(server.origin)
    const response = await authFetch(auth, { fetch })(`${server.origin}/V1/a`)
    expect((await diagnose(auth, response, `${server.origin}/V1/a`)).verdict).toBe('unknown')
    // One branch of a tee ends when the other one does.
    await response.body?.cancel()
    expect(await readBytes()).toSatisfy((size: number) => size > 0 && size < 2 * megabyte)
  })
})

describe('a redirect chain', () => {
  test.each([19, 20])('of %i is followed, with a signature for each hop', async (length) => {
    const server = await serveRaw((socket, { count }) =>
      socket.write(responseText(count > length ? 200 : 302, { location: `/V1/${count}` })),
    )
    const response = await authFetch(sigV4Auth(server.origin))(`${server.origin}/V1/0`)
    expect(response.status).toBe(200)
    const signatures = server.requests.map(({ head: lines }) => /Signature=(\w+)/.exec(lines)?.[1])
    expect(new Set(signatures).size).toBe(length + 1)
  })

  test.each([
    ['of 21', (count: number) => `/V1/${count}`],
    ['that leads to itself', () => '/V1/0'],
    ['between two', (count: number) => `/V1/${count % 2}`],
  ])('%s ends after 20', async (_name, location) => {
    const server = await serveRaw((socket, { count }) =>
      socket.write(responseText(302, { location: location(count) })),
    )
    const error = await failure(authFetch(sigV4Auth(server.origin))(`${server.origin}/V1/0`))
    expect(error).toMatchObject({ code: 'ERR_AUTH_REDIRECT', status: 302 })
    expect(server.requests).toHaveLength(21)
  })

  test('whose bodies never end is followed all the same', async () => {
    const server = await serveRaw((socket, request) => {
      if (request.count > 3) socket.write(responseText(200))
      else
        endless(`HTTP/1.1 302 No\r\nlocation: /V1/${request.count}\r\n\r\n`, ' '.repeat(65_536))(
          socket,
          request,
        )
    })
    const response = await authFetch(sigV4Auth(server.origin))(`${server.origin}/V1/0`)
    expect(response.status).toBe(200)
  })
})

describe('a diagnosis comes to an end where the refusal is', () => {
  test.each<[name: string, respond: Respond]>([
    ['a bomb', text(403, { 'content-encoding': 'gzip' }, bomb)],
    ['gzip that is none', text(403, { 'content-encoding': 'gzip' }, 'no')],
    ['shorter than its length', raw('HTTP/1.1 403 No\r\ncontent-length: 9\r\n\r\n<Err')],
    ['without an end', endless('HTTP/1.1 403 No\r\n\r\n', '<Error>'.repeat(9000))],
    ['a byte, and no more', stuck('HTTP/1.1 403 No\r\n\r\n<')],
    ['XML of 100 000 levels', text(403, {}, '<Error>'.repeat(100_000))],
    [
      'a bomb of entities',
      text(
        403,
        {},
        `<!DOCTYPE a [<!ENTITY b "${'c'.repeat(9999)}">]><Error>${'&b;'.repeat(9999)}</Error>`,
      ),
    ],
    [
      '100 000 headers in a canonical request',
      text(
        403,
        {},
        `<Error><Code>SignatureDoesNotMatch</Code><CanonicalRequest>GET\n/\n\n${manyHeaders}\nhost\nx</CanonicalRequest></Error>`,
      ),
    ],
  ])('%s', async (_name, respond) => {
    const server = await serveRaw(respond)
    const auth = sigV4Auth(server.origin)
    const url = `${server.origin}/V1/a`
    const response = await authFetch(auth)(url)
    expect(response.status).toBe(403)
    const { summary } = await diagnose(auth, response, url)
    expect(summary.length).toBeLessThan(20_000)
  })
})

// One of each kind: that all of them come through good and bad responses is what `tests/clients` says.
const kinds = ['fetch', 'ky', 'axios http', 'axios fetch', 'got', 'undici request', 'openapi-fetch']
const newest = kinds.map((kind) => {
  const client = triedClients.find((one) => titleOf(one).startsWith(`${kind} `))
  if (!client) throw new Error(`there is no client ${kind}`)
  return [titleOf(client), client] as const
})

describe.each(newest)(
  'through %s a request is an error, and nothing is left open, where the server responds with',
  (_, client) => {
    test.each(Object.entries(broken))('%s', async (_name, respond) => {
      const server = await serveRaw((socket, request) =>
        request.path === '/user/login' ? socket.write(loginText) : respond(socket, request),
      )
      const connection = client.connect(serviceAuth(server.origin), {})
      for (const path of ['/user/groups', '/V1/a']) {
        const call = { method: 'POST', url: new URL(path, server.origin), body: 'x' } as const
        const error = await failure(connection.send(call).then((sent) => sent.text()))
        expect(error).toBeInstanceOf(Error)
        expect(error).not.toBeInstanceOf(NotPossible)
      }
      await connection.close?.()
    })

    test('a refusal that is a bomb, and then another, which the caller is given', async () => {
      const server = await serveRaw((socket, request) =>
        request.path === '/user/login'
          ? socket.write(loginText)
          : text(401, { 'content-encoding': 'gzip' }, bomb)(socket, request),
      )
      const connection = client.connect(serviceAuth(server.origin), {})
      const url = new URL('/user/groups', server.origin)
      const outcome = await connection.send({ method: 'POST', url, body: 'x' }).then(
        ({ status }) => status,
        (error: { response?: { status?: number; statusCode?: number } }) =>
          error.response?.status ?? error.response?.statusCode,
      )
      expect(outcome).toBe(401)
      await connection.close?.()
    })
  },
)

async function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  )
}

/** The client has hung up on what would never end. */
async function expectClosed(server: RawServer): Promise<void> {
  await vi.waitFor(() => expect(server.open()).toBe(0), 30_000)
  expect(server.writtenBytes()).toBeLessThan(64 * megabyte)
}

/** A `fetch` that counts what is read of its responses, after they were decompressed, to the end. */
function countingFetch(): { fetch: typeof fetch; readBytes: () => Promise<number> } {
  let readBytes = 0
  const ends: Promise<void>[] = []
  return {
    async readBytes() {
      await Promise.all(ends)
      return readBytes
    },
    async fetch(...parameters) {
      const response = await fetch(...parameters)
      if (!response.body) return response
      const counted = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
        transform(chunk, controller) {
          readBytes += chunk.byteLength
          controller.enqueue(chunk)
        },
      })
      // It fails where the reader has had enough, which is what these tests are about.
      ends.push(response.body.pipeTo(counted.writable).catch(() => {}))
      return new Response(counted.readable, response)
    },
  }
}
