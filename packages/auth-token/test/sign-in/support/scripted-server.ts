import { createServer, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import { listenOnLoopback } from '../../../../../tests/support/loopback.ts'

/** A request as it arrived. */
export interface Arrived {
  readonly path: string
  readonly form: URLSearchParams
  readonly body: string
  readonly authorization: string | undefined
  readonly response: ServerResponse
}

/** What a path responds with: a body of JSON, with status 200 or another, or whatever a function does. */
export type Reply =
  | Readonly<Record<string, unknown>>
  | readonly [status: number, body: Readonly<Record<string, unknown>>]
  | ((arrived: Arrived) => Reply | undefined)

/** An authorization server that says what a test has it say. */
export async function scriptedServer(replies: Record<string, Reply> = {}) {
  const arrived: Arrived[] = []
  const server = createServer((request, response) => {
    void (async () => {
      const path = request.url?.replace(/\?.*/, '') ?? ''
      const body = await text(request)
      const { authorization } = request.headers
      const one = { path, body, form: new URLSearchParams(body), authorization, response }
      arrived.push(one)
      let reply: Reply | undefined = replies[path] ?? [404, {}]
      while (typeof reply === 'function') reply = reply(one)
      if (!reply) return
      const [status, json] = Array.isArray(reply) ? reply : [200, reply]
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json))
    })()
  })
  const { url, close } = await listenOnLoopback(server)
  onTestFinished(close)
  const issuer = url.origin
  const metadata = {
    issuer,
    token_endpoint: `${issuer}/token`,
    authorization_endpoint: `${issuer}/authorize`,
    device_authorization_endpoint: `${issuer}/device`,
  }
  const code = {
    device_code: 'the secret device code',
    user_code: 'ABCD-EFGH',
    verification_uri: `${issuer}/enter`,
    expires_in: 600,
  }
  replies['/.well-known/openid-configuration'] ??= metadata
  replies['/device'] ??= code
  replies['/token'] ??= token()
  return {
    issuer,
    metadata,
    code,
    replies,
    arrived,
    first: (path: string): Arrived => {
      const found = arrived.find((one) => one.path === path)
      if (!found) throw new Error('no such request')
      return found
    },
    to: (path: string): Arrived[] => arrived.filter((one) => one.path === path),
  }
}

export function token(value = 'a-token', refresh = 'a-refresh-token') {
  return { access_token: value, token_type: 'Bearer', expires_in: 600, refresh_token: refresh }
}
