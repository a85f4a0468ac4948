import type { Socket } from 'node:net'
import type { AuthScheme } from '@svc/types'
import { describe, expect, test, vi } from 'vitest'
import { type ClientCall, NotPossible, titleOf } from '../clients/client.ts'
import { triedClients } from '../clients/libraries/index.ts'
import { atNight } from '../support/nightly.ts'
import { type ReceivedRequest, responseText, serveRaw } from './raw-server.ts'
import { apiKeyAuth, serviceAuth } from './schemes.ts'
import { expectNoSecret, makeJwt } from './secrets.ts'

// `tests/clients` has statuses, retries, timeouts and dropped connections, which are not said again.

interface Failure {
  readonly respond: (socket: Socket, request: ReceivedRequest) => void
  readonly call?: (origin: string) => Partial<ClientCall>
  /** `true` if the caller gives up once the request has arrived. */
  readonly aborts?: boolean
}

const write =
  (...parameters: Parameters<typeof responseText>) =>
  (socket: Socket): void =>
    void socket.write(responseText(...parameters))

const failures: Readonly<Record<string, Failure>> = {
  'a head that is no HTTP': { respond: (socket) => socket.end('what?\r\n\r\n') },
  'a head with a bad name': {
    respond: (socket) => socket.end('HTTP/1.1 200 OK\r\na b: c\r\n\r\n'),
  },
  'a head of a mebibyte': { respond: write(200, { 'x-long': 'a'.repeat(2 ** 20) }) },
  'a body that ends early': {
    respond: (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nshort'),
  },
  'chunks that are none': {
    respond: (socket) => socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n'),
  },
  'gzip that is none': { respond: write(200, { 'content-encoding': 'gzip' }, 'no gzip') },
  'JSON that is none': { respond: write(200, { 'content-type': 'application/json' }, '{') },
  'a 403 for a clock that is off': {
    respond: write(403, { date: 'Thu, 01 Jan 2015 00:00:00 GMT' }),
  },
  'a redirect that never ends': { respond: write(307, { location: '/V1/again' }) },
  'a redirect to what is no URL': { respond: write(307, { location: 'http://[' }) },
  'a redirect to another origin': {
    respond: write(307, { location: 'https://elsewhere.example/' }),
  },
  'an origin that is not covered': {
    respond: write(200),
    call: () => ({ url: new URL('http://127.0.0.1:1/user/groups') }),
  },
  'a header that cannot be sent': {
    respond: write(200),
    call: () => ({ headers: { 'x-own': 'a\nb' } }),
  },
  'an abort under way': { respond: () => {}, aborts: true },
}

const jwt = makeJwt('clients')
const loginResponses: Readonly<Record<string, (socket: Socket) => void>> = {
  'a login that is refused': write(401, {}, jwt),
  'a login without a token': write(200, {}, JSON.stringify({ token: jwt })),
  'a login that breaks off': (socket) =>
    socket.end(`HTTP/1.1 200 OK\r\ncontent-length: 9999\r\n\r\n{"Token":"${jwt}"`),
  'a login that is no HTTP': (socket) =>
    socket.end(`HTTP/1.1 200 OK\r\na b: c\r\n\r\n{"Token":"${jwt}"}`),
}

const schemes: Readonly<Record<string, (origin: string) => AuthScheme>> = {
  'token and signature': (origin) => serviceAuth(origin),
  'a scheme of one’s own': apiKeyAuth,
}

describe.each(triedClients.map((client) => [titleOf(client), client] as const))(
  '%s',
  (_title, client) => {
    /** Calls, and looks at whatever came of it. */
    const look = async (
      scheme: AuthScheme,
      call: ClientCall,
      whenSent: (abort: () => void) => Promise<void> = async () => {},
    ): Promise<void> => {
      const connection = client.connect(scheme, {})
      const controller = new AbortController()
      const sent = connection.send({ ...call, signal: controller.signal }).then(
        async (response) => [
          response.shown,
          await response.text().catch((error: unknown) => error),
        ],
        (error: unknown) => error,
      )
      // Some refuse what they were given, and nothing arrives.
      await Promise.race([sent, whenSent(() => controller.abort())])
      const shown = await sent
      expect(shown).not.toBeInstanceOf(NotPossible)
      expectNoSecret([shown, connection.shown], [jwt])
      await connection.close?.()
    }

    describe.each(Object.entries(schemes).slice(0, atNight(undefined, 1)))(
      '%s: no secret shows after',
      (_kind, makeScheme) => {
        test.each(Object.entries(failures))('%s', async (_failure, { respond, call, aborts }) => {
          let arrived = 0
          const server = await serveRaw((socket, request) => {
            if (request.path === '/user/login') {
              socket.write(responseText(200, {}, JSON.stringify({ Token: jwt })))
              return
            }
            arrived += 1
            respond(socket, request)
          })
          for (const path of ['/user/groups', '/V1/a']) {
            const url = new URL(path, server.origin)
            const before = arrived
            await look(
              makeScheme(server.origin),
              { method: 'POST', url, body: 'x', ...call?.(server.origin) },
              async (abort) => {
                if (!aborts) return
                const patience = { interval: 1, timeout: 30_000 }
                await vi.waitFor(() => expect(arrived).toBeGreaterThan(before), patience)
                abort()
              },
            )
          }
        })
      },
    )

    test.each(Object.entries(loginResponses))(
      'no secret shows after %s',
      async (_failure, respond) => {
        const server = await serveRaw((socket) => respond(socket))
        const url = new URL('/user/groups', server.origin)
        await look(serviceAuth(server.origin), { method: 'POST', url, body: 'x' })
        expect(server.requests.map(({ path }) => path)).toContain('/user/login')
      },
    )
  },
)
