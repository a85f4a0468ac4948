import { createServer, type ServerResponse } from 'node:http'
import { inspect } from 'node:util'
import { defaultUsers } from '@svc/emulator'
import type { Fetch } from '@svc/types'
import { describe, expect, onTestFinished, test } from 'vitest'
import { AuthError, createTokenAuth, type TokenAuthOptions } from '@svc/auth-token'
import { memoryTokenStore } from '@svc/auth-token/memory-store'
import { listenOnLoopback } from '../../../../tests/support/loopback.ts'
import { primary, service, until } from '../support/service.ts'
import { manualTime } from '../support/time.ts'

const said = 'the account is locked'
const json = { 'content-type': 'application/json' }
const body = JSON.stringify({ Code: 'Locked', Message: said })

/** A login that responds as it is told to, on a socket. */
async function login(
  respond: (response: ServerResponse) => void,
  options: Partial<TokenAuthOptions> = {},
) {
  const closed: string[] = []
  const server = createServer((request, response) => {
    request.resume()
    response.on('close', () => closed.push(response.writableFinished ? 'finished' : 'cut'))
    respond(response)
  })
  const { url, close } = await listenOnLoopback(server)
  onTestFinished(close)
  return { closed, error: await refused({ baseUrl: url, ...options }) }
}

async function refused(options: Partial<TokenAuthOptions>): Promise<AuthError> {
  const baseUrl = 'https://search.example.com'
  const auth = createTokenAuth({ baseUrl, credentials: primary, session: 'own', ...options })
  const error: unknown = await auth.getToken().catch((reason: unknown) => reason)
  if (!AuthError.is(error)) throw new Error('no AuthError', { cause: error })
  return error
}

/** Sends the login to nobody, and gets this response. */
const responding =
  (response: () => unknown): Fetch =>
  async () =>
    // A `fetch` of a package, whose response is not all that one is.
    response() as Response

describe('the words of a service that refuses a login', () => {
  test.each([
    ['400', { status: 400, body }],
    ['401', { status: 401, body }],
    ['429', { status: 429, body }],
    ['503', { status: 503, body }],
    ['200 and no token', { status: 200, headers: json, body }],
    [
      '200 and a bad token',
      { status: 200, headers: json, body: `{"Token":7,"Message":"${said}"}` },
    ],
    ['200 and no JSON', { status: 200, body: `<Message>${said}</Message>` }],
  ])('stand in the error and its event after %s, and nowhere else', async (_what, fault) => {
    const { auth, emulator, events } = await service()
    emulator.fault({ ...fault, path: '/user/login' })
    const error: unknown = await auth.getToken().catch((reason: unknown) => reason)
    expect(error).toMatchObject({ status: fault.status, serverMessage: said })
    const { message, stack, cause } = error as AuthError
    expect([message, stack, inspect(cause)].join()).not.toContain(said)
    expect(events.filter((event) => JSON.stringify(event).includes(said))).toEqual([
      expect.objectContaining({ type: 'login.failed', serverMessage: said }),
    ])
  })

  test('are in no redirect, whose text often names its target', async () => {
    const { auth, emulator } = await service()
    emulator.fault({ path: '/user/login', status: 302, body: 'Found. Redirecting to /a?token=b' })
    const error: unknown = await auth.getToken().catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'ERR_AUTH_LOGIN_REDIRECT' })
    expect(error).not.toHaveProperty('serverMessage')
  })

  test('are not there where it said nothing', async () => {
    const { auth, emulator, events } = await service()
    emulator.fault({ path: '/user/login', status: 401 })
    const error: unknown = await auth.getToken().catch((reason: unknown) => reason)
    expect(error).toMatchObject({ status: 401 })
    expect(error).not.toHaveProperty('serverMessage')
    expect(events.some((event) => 'serverMessage' in event)).toBe(false)
  })

  test('are told to those who come during the pause, too', async () => {
    const { auth, emulator } = await service({ credentials: { ...primary, password: 'wrong' } })
    const words = { serverMessage: 'these credentials match no user', retryAt: expect.any(Number) }
    for (let call = 0; call < 3; call += 1) {
      await expect(auth.getToken()).rejects.toMatchObject(words)
    }
    expect(emulator.requests).toHaveLength(1)
  })

  test('are told to all who share a store', async () => {
    const store = memoryTokenStore()
    const { session, emulator } = await service({
      store,
      credentials: { ...primary, password: 'wrong' },
    })
    const words = { serverMessage: 'these credentials match no user', status: 401 }
    for (let process = 0; process < 3; process += 1) {
      await expect(session().getToken()).rejects.toMatchObject(words)
    }
    expect(emulator.requests).toHaveLength(1)
  })

  test('tell a missing ParentUid from a wrong password', async () => {
    const { session } = await service()
    const { username, password } = defaultUsers[1]
    const withoutParent = session({ credentials: { username, password } })
    await expect(withoutParent.getToken()).rejects.toMatchObject({
      serverMessage: 'ParentUid is required for a subaccount user: send tenant-0001',
    })
  })
})

describe('a response to a login', () => {
  const refusal = { code: 'ERR_AUTH_LOGIN_REFUSED', status: 401 }

  test.each<
    [what: string, message: string | undefined, respond: (response: ServerResponse) => void]
  >([
    ['of 16 KiB', said, (response) => response.writeHead(401).end(padded(16 * 1024))],
    ['of more', undefined, (response) => response.writeHead(401).end(padded(16 * 1024 + 1))],
    [
      'of more, with the message first',
      undefined,
      (response) => response.writeHead(401).end(`<Message>${said}</Message>${' '.repeat(2 ** 20)}`),
    ],
    [
      'that is no gzip',
      undefined,
      (response) => response.writeHead(401, { 'content-encoding': 'gzip' }).end(body),
    ],
    [
      'that breaks off behind its message',
      undefined,
      (response) => {
        response.writeHead(401, { 'content-length': '1000' }).write(body)
        setTimeout(() => response.destroy(), 50)
      },
    ],
    [
      'that is no UTF-8',
      undefined,
      (response) => response.writeHead(401).end(Buffer.from('Zugang verwehrt für Sie', 'latin1')),
    ],
    ['without a body', undefined, (response) => response.writeHead(401).end()],
  ])('%s is the refusal all the same', async (_what, message, respond) => {
    const { error } = await login(respond)
    expect(error).toMatchObject(refusal)
    expect(error.serverMessage).toBe(message)
  })

  test.each([
    ['that goes on without end', 0],
    ['that goes on without end, slowly', 20],
  ])('%s is stopped', async (_what, everyMs) => {
    const { error, closed } = await login(
      (response) => {
        response.writeHead(401).write(' ')
        const write = (): void => void response.write('no! '.repeat(everyMs ? 1 : 1000))
        const timer = setInterval(write, everyMs)
        response.on('close', () => clearInterval(timer))
      },
      { loginTimeoutMs: 2000 },
    )
    expect(error).toMatchObject(refusal)
    await expect.poll(() => closed).toEqual(['cut'])
  })

  test('that stalls holds up nobody for more than 2 seconds', async () => {
    const time = manualTime()
    let hasRead = false
    let isOver = false
    let wasCut = false
    const bytes = new TextEncoder().encode(body)
    const stalled = new ReadableStream<Uint8Array>({
      pull(to) {
        if (hasRead) return new Promise(() => {})
        hasRead = true
        return to.enqueue(bytes)
      },
      cancel: () => void (wasCut = true),
    })
    const fetch = async () => new Response(stalled, { status: 401 })
    const failed = refused({ fetch, clock: time.clock }).finally(() => (isOver = true))
    await until(() => hasRead)
    await time.advance(1999)
    expect(isOver).toBe(false)
    await time.advance(1)
    expect(await failed).toMatchObject(refusal)
    expect(wasCut).toBe(true)
  })

  test('that stalls is a refusal, not a timeout, where there was little time left', async () => {
    const time = manualTime()
    const credentials = async () => {
      await time.delay(1700)
      return primary
    }
    const fetch = async () => new Response(new ReadableStream(), { status: 401 })
    const { clock } = time
    const failed = refused({ credentials, fetch, clock, loginTimeoutMs: 2000 })
    await until(() => time.waiting > 0)
    await time.advance(2500)
    const error = await failed
    expect(error).toMatchObject(refusal)
    expect(error).toHaveProperty('retryAt')
  })

  const response = new Response(body, { status: 401 })
  test.each<[what: string, message: string | undefined, respond: () => unknown]>([
    [
      'whose body is locked',
      undefined,
      () => {
        const locked = new Response(body, { status: 401 })
        locked.body?.getReader()
        return locked
      },
    ],
    [
      'that has a text and no body, as in React Native',
      said,
      () => ({ status: 401, ok: false, headers: new Headers(), text: async () => body }),
    ],
    [
      'whose text is never there',
      undefined,
      () => ({
        status: 401,
        ok: false,
        headers: new Headers(),
        text: () => new Promise(() => {}),
      }),
    ],
    ['that has neither', undefined, () => ({ status: 401, ok: false, headers: new Headers() })],
    [
      'whose chunks are empty without end',
      undefined,
      () =>
        new Response(new ReadableStream({ pull: (to) => to.enqueue(new Uint8Array()) }), response),
    ],
    [
      'whose body ignores its end',
      undefined,
      () => ({
        status: 401,
        ok: false,
        headers: new Headers(),
        body: {
          getReader: () => ({ read: () => new Promise(() => {}), cancel: async () => {} }),
        },
      }),
    ],
    [
      'whose stream is one of Node',
      said,
      () => ({
        status: 401,
        ok: false,
        headers: new Headers(),
        body: { on() {} },
        text: async () => body,
      }),
    ],
  ])('of another fetch %s is the refusal', async (_what, message, respond) => {
    const error = await refused({ fetch: responding(respond), loginTimeoutMs: 1000 })
    expect(error).toMatchObject(refusal)
    expect(error.serverMessage).toBe(message)
  })

  test('of another fetch without a body gives its token all the same', async () => {
    const text = async (): Promise<string> => '{"Token":"token"}'
    const auth = createTokenAuth({
      baseUrl: 'https://search.example.com',
      credentials: primary,
      fetch: responding(() => ({ status: 200, ok: true, headers: new Headers(), text })),
    })
    expect(await auth.getToken()).toBe('token')
  })

  test('of another fetch that is never read to its end is destroyed', async () => {
    let destroyed = false
    const stream = { on() {}, destroy: () => (destroyed = true) }
    const text = (): Promise<string> => new Promise(() => {})
    const fetch = responding(() => ({
      status: 401,
      ok: false,
      headers: new Headers(),
      body: stream,
      text,
    }))
    expect(await refused({ fetch, loginTimeoutMs: 400 })).toMatchObject(refusal)
    expect(destroyed).toBe(true)
  })

  test('that echoes the login shows neither password nor token', async () => {
    for (const Password of [primary.password, encodeURIComponent(primary.password)]) {
      const { error } = await login((to) =>
        to.writeHead(401).end(JSON.stringify({ Message: `got ${JSON.stringify({ Password })}` })),
      )
      expect(error).toMatchObject(refusal)
      expect(error).not.toHaveProperty('serverMessage')
    }
    const token = JSON.stringify({ Token: 'short token', Message: 'use the short token' })
    const { error } = await login((to) => to.writeHead(200, json).end(token))
    expect(error).toMatchObject({ code: 'ERR_AUTH_LOGIN_BAD_TOKEN', status: 200 })
    expect(error).not.toHaveProperty('serverMessage')
  })

  test('of one user is held against the password of that user alone', async () => {
    const users = [
      { username: 'one', password: 'zebra' },
      { username: 'other', password: 'zebra-crossing' },
    ]
    const messages = []
    for (const credentials of users) {
      const { error } = await login((to) => to.writeHead(401).end('{"Message":"not zebra"}'), {
        credentials,
      })
      messages.push(error.serverMessage)
    }
    expect(messages).toEqual([undefined, 'not zebra'])
  })
})

describe('a login that takes too long', () => {
  const never = new Promise<never>(() => {})

  test('for its credentials says so', async () => {
    const error = await refused({ credentials: () => never, loginTimeoutMs: 50 })
    expect(error).toMatchObject({ code: 'ERR_AUTH_LOGIN_TIMEOUT' })
    expect(error.message).toContain(
      'was not sent within 50 ms (loginTimeoutMs): the credentials function did not return',
    )
  })

  test.each([
    ['never returns', () => never, 'ERR_AUTH_LOGIN_TIMEOUT'],
    ['fails', () => Promise.reject(new Error('no vault')), 'ERR_AUTH_CREDENTIALS'],
  ])('for a function that %s is one call of it for 200 callers', async (_, source, code) => {
    let calls = 0
    const credentials = (): Promise<never> => {
      calls += 1
      return source()
    }
    const baseUrl = 'https://search.example.com'
    const given = { baseUrl, credentials, session: 'own', loginTimeoutMs: 50 } as const
    const auth = createTokenAuth(given)
    for (const turn of [1, 2]) {
      const tokens = Array.from({ length: 200 }, () => auth.getToken())
      const ends = await Promise.all(tokens.map((token) => token.catch((error: unknown) => error)))
      expect(new Set(ends.map((error) => (error as AuthError).code))).toEqual(new Set([code]))
      expect(calls).toBe(turn)
    }
  })

  test('for the service says so', async () => {
    const error = await refused({ fetch: () => never, loginTimeoutMs: 50 })
    expect(error).toMatchObject({ code: 'ERR_AUTH_LOGIN_TIMEOUT' })
    expect(error.message).toContain('got no response of the service within 50 ms (loginTimeoutMs)')
  })
})

/** A body of so many bytes, whose message is at its end. */
function padded(bytes: number): string {
  const message = `,"Message":"${said}"}`
  return `{"a":"${'x'.repeat(bytes - message.length - 7)}"${message}`
}
