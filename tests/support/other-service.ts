import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** Services that are not the one of this project: their authorization server, and what accepts its tokens. */
export interface OtherService {
  readonly origin: string
  close(): void
}

/**
 * Starts a stand-in for the other services of the READMEs: it gives tokens by OAuth, by a login with a refresh token,
 * and by GraphQL, and takes an API key.
 *
 * @param apiKey - The key that it takes.
 * @param cameraPassword - The password of its user `reader`, for the paths of a camera with Digest.
 */
export async function startOtherService(
  apiKey: string,
  cameraPassword = '',
): Promise<OtherService> {
  /** The scope that each of them was asked for with. */
  const tokens = new Map<string, string>()
  let signedInFor = ''
  let pins = 0
  const issue = (scope = ''): string => {
    const token = crypto.randomUUID()
    tokens.set(token, scope)
    return token
  }
  /** Returns the status, the body and a challenge of a response. */
  const respond = async (
    request: IncomingMessage,
  ): Promise<readonly [status: number, body: unknown, challenge?: string]> => {
    const { url = '', headers } = request
    const sent = await text(request)
    if (/^\/(?:snapshot|status|upload)\b/.test(url)) return respondToDigest(request, cameraPassword)
    // As `express.json()` does, it reads no JSON of another type.
    const isJson = headers['content-type']?.split(';')[0] === 'application/json'
    const body = isJson || url === '/token' ? sent : ''
    const origin = `http://${headers.host}`
    if (url === '/.well-known/openid-configuration') {
      const endpoints = ['token', 'authorization', 'device_authorization'].map((name) => [
        `${name}_endpoint`,
        `${origin}/${name}`,
      ])
      return [200, { issuer: origin, ...Object.fromEntries(endpoints) }]
    }
    if (url === '/device_authorization') {
      const code = { device_code: 'a-code', user_code: 'ABCD-EFGH', interval: 1, expires_in: 60 }
      return [200, { ...code, verification_uri: `${origin}/enter` }]
    }
    if (url.startsWith('/authorization?')) {
      const { searchParams } = new URL(url, origin)
      signedInFor = searchParams.get('scope') ?? ''
      const to = new URL(searchParams.get('redirect_uri') ?? '')
      to.search = `${new URLSearchParams({ code: 'a-code', state: searchParams.get('state') ?? '' })}`
      return [302, { location: to.href }]
    }
    if (url === '/token') {
      const refresh = { refresh_token: crypto.randomUUID() }
      const next = /(?:refresh_token|code)=/.test(body) ? refresh : {}
      const token = issue(new URLSearchParams(body).get('scope') ?? signedInFor)
      // It binds tokens where it is sent a proof, at which it does not look.
      const type = headers['dpop'] === undefined ? 'Bearer' : 'DPoP'
      return [200, { access_token: token, token_type: type, expires_in: 600, ...next }]
    }
    if (url === '/login')
      return body.includes('reader') ? [200, { token: issue(), seconds: 600 }] : [401, {}]
    // Nothing takes its token, so that it has to be refreshed.
    const session = { token: 'ended', refreshToken: 'next', seconds: 600 }
    if (url === '/sessions') return body.includes('reader') ? [200, session] : [401, {}]
    if (url === '/sessions/refresh') {
      return [body.includes('next') ? 200 : 400, { token: issue(), seconds: 600 }]
    }
    if (body.includes('logIn')) return [200, { data: { logIn: { token: issue() } } }]
    const scope = tokens.get(headers.authorization?.replace(/^(?:Bearer|DPoP) /, '') ?? '')
    const isKnown = scope !== undefined
    // A wrong one, whose 401 says nothing of the token; who sends it twice is let in.
    if (url === '/pin') return [isKnown && (pins += 1) === 1 ? 401 : 200, {}]
    if (url === '/exports' && isKnown && !scope.includes('write')) {
      return [403, {}, 'Bearer error="insufficient_scope", scope="write"']
    }
    return [isKnown || headers['x-api-key'] === apiKey ? 200 : 401, {}]
  }

  const server = createServer((request, response) => {
    void (async () => {
      const [status, body, challenge] = await respond(request)
      const { location } = Object(body) as { readonly location?: string }
      const headers = {
        'content-type': 'application/json',
        ...(location && { location }),
        ...(challenge !== undefined && { 'www-authenticate': challenge }),
      }
      response.writeHead(status, headers).end(JSON.stringify(body))
    })()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    // It listens on a port.
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Responds as a camera does, which is old where it shows a picture. */
function respondToDigest(
  { headers: { authorization = '' }, method = '', url = '' }: IncomingMessage,
  password: string,
): readonly [status: number, body: unknown, challenge?: string] {
  const algorithm = url === '/snapshot' ? 'MD5' : 'SHA-256'
  const hash = (data: string): string => createHash(algorithm).update(data).digest('hex')
  const part = (of: string): string | undefined =>
    new RegExp(`\\b${of}="?([^",]*)`).exec(authorization)?.[1]
  const key = hash(`reader:camera:${password}`)
  const middle = `once:${part('nc')}:${part('cnonce')}:auth`
  if (part('response') === hash(`${key}:${middle}:${hash(`${method}:${url}`)}`)) return [200, {}]
  return [401, {}, `Digest realm="camera", nonce="once", algorithm=${algorithm}, qop="auth"`]
}
