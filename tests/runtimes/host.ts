import { createServer, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { createEmulator, verifySigV4 } from '@svc/emulator'
import { createDigestService } from '../support/digest-service.ts'
import { listenOnLoopback } from '../support/loopback.ts'
import { createOAuthService } from '../support/oauth-service.ts'
import type { Addresses } from './addresses.ts'
import type { ServiceState } from './control.ts'
import { apiKey, digestUser } from './credentials.ts'

/** An emulator and its control server, for one runtime alone. */
export interface Host extends Addresses {
  close(): Promise<void>
}

/** Starts both on free ports of loopback. */
export async function startHost(): Promise<Host> {
  const emulator = createEmulator()
  const service = await emulator.listen()
  let strays = 0
  let control = ''
  const state = (): ServiceState => {
    const { logins, requests } = emulator
    const last = requests.at(-1)
    const preflights = requests.filter(({ method }) => method === 'OPTIONS').length
    const payloadHash = last?.headers['x-amz-content-sha256'] ?? null
    return {
      logins,
      arrived: requests.length - preflights,
      preflights,
      strays,
      last: last ? { target: last.target, payloadHash } : null,
    }
  }
  const digest = createDigestService(digestUser)
  const oauth = createOAuthService()
  const server = createServer(async (incoming, outgoing) => {
    const { method = '', url = '' } = incoming
    if (method === 'PUT' && url === '/upload') {
      try {
        outgoing.end(await verifyUpload(incoming))
      } catch (error) {
        // Whoever broke off gets no response.
        outgoing.end(String(error))
      }
      return
    }
    // A page has an origin of its own, and may ask for the state.
    outgoing.setHeader('access-control-allow-origin', '*')
    if (/^\/(?:digest|oauth)\//.test(url)) {
      outgoing.setHeader('access-control-allow-methods', 'GET, PUT')
      outgoing.setHeader('access-control-allow-headers', 'authorization, content-type, dpop')
      const exposed = 'www-authenticate, authentication-info, dpop-nonce'
      outgoing.setHeader('access-control-expose-headers', exposed)
      const body = await buffer(incoming)
      const { headers: sent } = incoming
      const verdict = (): ReturnType<typeof oauth> =>
        url.startsWith('/digest/')
          ? digest({ method, target: url, headers: sent, body })
          : oauth({ method, url: new URL(url, control), headers: sent, body })
      const { status, headers, text } =
        method === 'OPTIONS' ? { status: 204, headers: {}, text: '' } : verdict()
      outgoing.writeHead(status, headers).end(text)
      return
    }
    incoming.resume()
    switch (`${method} ${url}`) {
      case 'GET /state':
        outgoing.setHeader('content-type', 'application/json').end(JSON.stringify(state()))
        return
      case 'POST /revoke-tokens':
        emulator.revokeTokens()
        outgoing.end()
        return
      case 'POST /slow-login':
        emulator.fault({ path: '/user/login', times: 1, latencyMs: 500 })
        outgoing.end()
        return
      case 'POST /slow-object':
        emulator.fault({ path: /^\/V1\//, times: 1, latencyMs: 10_000 })
        outgoing.end()
        return
      case 'POST /fail-twice':
        emulator.fault({ path: '/user/groups', times: 1, status: 503 })
        emulator.fault({ path: '/user/groups', times: 1, drop: true })
        outgoing.end()
        return
      case 'POST /redirect-within':
        emulator.fault({ path: '/user/groups', times: 1, redirect: { to: '/user/groups?moved' } })
        outgoing.end()
        return
      case 'POST /redirect-away':
        emulator.fault({ path: '/user/groups', times: 1, redirect: { to: `${control}/stray` } })
        outgoing.end()
        return
      default:
        strays += 1
        outgoing.writeHead(404).end()
    }
  })
  const controlServer = await listenOnLoopback(server)
  control = controlServer.url.origin
  return {
    service: service.url.href,
    control,
    async close() {
      await controlServer.close()
      await service.close()
    },
  }
}

/** Tells how many bytes came in which chunks, or what is wrong with a signature. */
async function verifyUpload(incoming: IncomingMessage): Promise<string> {
  const { method = '', url: target = '', rawHeaders: lines } = incoming
  const rawHeaders = lines.flatMap((name, index): [string, string][] =>
    index % 2 === 0 ? [[name, lines[index + 1] ?? '']] : [],
  )
  const body = await buffer(incoming)
  const upload = await verifySigV4(
    { method, target, rawHeaders, body },
    { apiKeys: [apiKey], region: 'us-east-1' },
  )
  if (!upload.ok) return `${upload.code}: ${upload.message}`
  if (!upload.payload.startsWith('signed-chunks')) return upload.payload
  if (!upload.signedHeaders.includes('content-encoding')) return 'content-encoding is not signed'
  const heads = body.toString('latin1').matchAll(/([\da-f]+);chunk-signature=/g)
  const sizes = Array.from(heads, ([, size = '']) => Number.parseInt(size, 16))
  return `${upload.body.byteLength} bytes in chunks of ${sizes.join(', ')}`
}
