import { createServer } from 'node:http'
import { buffer, json } from 'node:stream/consumers'
import { createSessionAuth, type TokenAuth } from '@svc/auth-token'
import { listenOnLoopback } from '../support/loopback.ts'

/** A server of another protocol than the service's, whose every request needs a token of its login. */
export interface ProtectedServer {
  readonly baseUrl: string
  /** Logs in with the right password. */
  readonly auth: TokenAuth
  /** Logs in with a wrong one. */
  readonly refused: TokenAuth
  /** The logins that were tried, and the requests that were let in. */
  readonly counts: { logins: number; requests: number; aborted: number }
  /** Lets no token be good any more. */
  revokeTokens(): void
  /** Takes requests from now on without responding to them. */
  hold(): void
  close(): Promise<void>
}

const password = 'not-a-secret-of-a-neighbour'

/** Starts one that responds as a function of the web's requests does. */
export async function startProtectedServer(
  respond: (request: Request) => Response | Promise<Response>,
): Promise<ProtectedServer> {
  const tokens = new Set<string>()
  const counts = { logins: 0, requests: 0, aborted: 0 }
  let isHeld = false
  const server = createServer(async (incoming, outgoing) => {
    const { method = 'GET', url = '/' } = incoming
    if (url === '/login') {
      counts.logins += 1
      const isRight = (await json(incoming)) === password
      const token = `token-${counts.logins}`
      if (isRight) tokens.add(token)
      outgoing.writeHead(isRight ? 200 : 401).end(isRight ? token : '')
      return
    }
    const body = await buffer(incoming)
    if (!tokens.has(incoming.headers.authorization?.replace('Bearer ', '') ?? '')) {
      outgoing.writeHead(401).end()
      return
    }
    counts.requests += 1
    if (isHeld) {
      outgoing.once('close', () => (counts.aborted += 1))
      return
    }
    const headers = Object.entries(incoming.headersDistinct).flatMap(([name, values = []]) =>
      values.map((value): [string, string] => [name, value]),
    )
    const hasBody = method !== 'GET' && method !== 'HEAD'
    const address = new URL(url, baseUrl)
    const request = new Request(address, { method, headers, body: hasBody ? body : null })
    const response = await respond(request)
    outgoing.writeHead(response.status, Object.fromEntries(response.headers))
    outgoing.end(new Uint8Array(await response.arrayBuffer()))
  })
  const { url, close } = await listenOnLoopback(server)
  const baseUrl = url.origin
  const authWith = (given: string): TokenAuth =>
    createSessionAuth({
      baseUrl,
      credentials: { given },
      headers: (token) => ({ authorization: `Bearer ${token}` }),
      async login({ credentials, fetch: send, signal }) {
        const body = JSON.stringify(credentials.given)
        const response = await send(`${baseUrl}/login`, { method: 'POST', body, signal })
        if (!response.ok) throw new Error(`login: ${response.status}`)
        return { token: await response.text(), expiresInMs: 3_600_000 }
      },
    })
  return {
    baseUrl,
    auth: authWith(password),
    refused: authWith('wrong'),
    counts,
    revokeTokens: () => tokens.clear(),
    hold: () => (isHeld = true),
    close,
  }
}
