import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  createSessionAuth,
  createTokenAuth,
  type SharedTokenStore,
  type TokenAuth,
} from '@svc/auth-token'
import { clientCredentials } from '@svc/auth-token/oauth2'
import type { Emulator } from '@svc/emulator'
import type { AuthEvent, Fetch } from '@svc/types'
import { credentials as primary } from '../credentials.ts'

/** Options of a session that a scenario needs. */
export interface BatteryOptions {
  readonly credentials?: typeof primary
  readonly clock?: () => number
  readonly loginTimeoutMs?: number
  readonly fetch?: Fetch
  readonly store?: SharedTokenStore
  readonly onEvent?: (event: AuthEvent) => void
}

/** A service on loopback. */
export interface BatteryServer {
  readonly url: URL
  close(): Promise<void>
}

/** A login that the battery is run with, of a service that the emulator is or stands behind. */
export interface BatteryLogin {
  /** Heads its column of the table. */
  readonly column: string
  /** Makes a session with the service. */
  readonly createAuth: (baseUrl: string | URL, options: BatteryOptions) => TokenAuth
  /** Reaches the service without a socket. */
  readonly fetchOf: (emulator: Emulator) => Fetch
  readonly listen: (emulator: Emulator) => Promise<BatteryServer>
}

/** The login of the service itself. */
const serviceLogin: BatteryLogin = {
  column: 'here',
  createAuth: (baseUrl, options) => createTokenAuth({ baseUrl, credentials: primary, ...options }),
  fetchOf: (emulator) => emulator.fetch,
  listen: (emulator) => emulator.listen(),
}

/** The login of an OAuth client with another service. */
const oauthLogin: BatteryLogin = {
  column: 'OAuth 2.0',
  createAuth(baseUrl, { credentials = primary, ...options }) {
    const { username: clientId, password: clientSecret } = credentials
    const tokenEndpoint = new URL('/token', baseUrl)
    const client = { clientId, clientSecret, clientAuthentication: 'post' } as const
    return createSessionAuth({
      baseUrl,
      ...clientCredentials({ issuer: baseUrl, tokenEndpoint, ...client }),
      ...options,
    })
  },
  fetchOf: oauthFront,
  listen: (emulator) => serve(oauthFront(emulator)),
}

/** The columns of the table, by the name that a process is told. */
export const batteryLogins = { service: serviceLogin, oauth: oauthLogin } as const

/** Returns a service with OAuth: an emulator, whose own login and headers are behind it. */
function oauthFront(emulator: Emulator): Fetch {
  return async (input, init) => {
    const request = new Request(input, init)
    const headers = new Headers({ 'x-svc-route-token': 'login' })
    if (new URL(request.url).pathname !== '/token') {
      const [, token = ''] = request.headers.get('authorization')?.split(' ') ?? []
      headers.set('x-svc-security-token', token)
      return emulator.fetch(request.url, { headers, signal: request.signal })
    }
    const form = new URLSearchParams(await request.text())
    const [Username, Password] = [form.get('client_id'), form.get('client_secret')]
    for (const name of ['accept', 'content-type']) headers.set(name, 'application/json')
    const response = await emulator.fetch(new URL('/user/login', request.url), {
      method: 'POST',
      headers,
      body: JSON.stringify({ Username, Password, UniqueSession: true }),
      signal: request.signal,
    })
    if (!response.ok) return response
    const { Token } = (await response.json()) as { Token: string }
    return Response.json({ access_token: Token, token_type: 'Bearer', ...lifetimeOf(Token) })
  }
}

function lifetimeOf(token: string): { expires_in: number } {
  const [, claims = ''] = token.split('.')
  // The emulator wrote it.
  const { exp, iat } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as {
    exp: number
    iat: number
  }
  return { expires_in: exp - iat }
}

/** Serves on a socket what a `fetch` responds with; one that fails drops the connection. */
async function serve(fetch: Fetch): Promise<BatteryServer> {
  const server = createServer((request, response) => {
    const ended = new AbortController()
    response.once('close', () => ended.abort())
    void (async () => {
      const pieces: Uint8Array[] = []
      for await (const piece of request) pieces.push(piece as Uint8Array)
      const { method = '', headers } = request
      const url = `http://${headers.host}${request.url}`
      const { authorization = '' } = headers
      const body = method === 'POST' ? { body: Buffer.concat(pieces) } : {}
      const init = { method, headers: { authorization }, signal: ended.signal, ...body }
      const given = await fetch(url, init)
      response.writeHead(given.status, Object.fromEntries(given.headers))
      response.end(Buffer.from(await given.arrayBuffer()))
    })().catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    // It listens on a port.
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
