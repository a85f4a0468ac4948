import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createDigestAuth } from '@svc/auth-digest'
import { authFetch, authKy } from '@svc/auth-hooks'
import { authAxios } from '@svc/auth-hooks/axios'
import { authGot } from '@svc/auth-hooks/got'
import { authInterceptor } from '@svc/auth-hooks/undici'
import { createSessionAuth } from '@svc/auth-token'
import { dpop } from '@svc/auth-token/dpop'
import { clientCredentials } from '@svc/auth-token/oauth2'
import type { AuthScheme, OutgoingRequest } from '@svc/types'
import axios from 'axios'
import got from 'got'
import got14 from 'got14'
import ky from 'ky'
import { Agent, interceptors, request } from 'undici'
import { describe, expect, onTestFinished, test } from 'vitest'

/** Sends a GET as a client does, and follows its redirects. */
type Get = (url: string) => Promise<number>

const gots = { got, 'got 14': got14 as unknown as typeof got }

const clients: [name: string, connect: (auth: AuthScheme) => Get][] = [
  ['fetch', (auth) => async (url) => (await authFetch(auth)(url)).status],
  ['ky', (auth) => async (url) => (await ky.extend(authKy(auth))(url)).status],
  ['axios', (auth) => async (url) => (await axios.create(authAxios(auth)).get(url)).status],
  ...Object.entries(gots).flatMap(([name, client]): typeof clients => [
    [name, (auth) => async (url) => (await client.extend(authGot(auth)).get(url)).statusCode],
    [
      `a stream of ${name}`,
      (auth) => async (url) => {
        const stream = client.extend(authGot(auth)).stream(url)
        const [{ statusCode }] = (await once(stream, 'response')) as [{ statusCode: number }]
        stream.resume()
        return statusCode
      },
    ],
  ]),
  [
    'undici',
    (auth) => async (url) => {
      const redirect = interceptors.redirect({ maxRedirections: 5 })
      const dispatcher = new Agent().compose(authInterceptor(auth), redirect)
      const { statusCode, body } = await request(url, { dispatcher })
      await body.dump()
      return statusCode
    },
  ],
]

/** Starts a server, and returns its origin. */
async function startServer(respond: RequestListener): Promise<string> {
  const server = createServer(respond).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  // It listens on a port.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const hash = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Tells if a request answers the challenge of a realm. */
function answers(realm: string, { method, headers }: IncomingMessage): boolean {
  const pairs = (headers.authorization ?? '').matchAll(/(\w+)=(?:"([^"]*)"|([^\s,]+))/g)
  const given = Object.fromEntries(
    [...pairs].map(([, name, quoted, token]) => [name, quoted ?? token]),
  )
  const { nonce, nc, cnonce, qop, uri } = given
  const secret = hash(`reader:${realm}:right`)
  const answer = hash(`${secret}:${nonce}:${nc}:${cnonce}:${qop}:${hash(`${method}:${uri}`)}`)
  return given['realm'] === realm && given['response'] === answer
}

const claimsOf = ({ headers }: IncomingMessage): { nonce?: string } =>
  JSON.parse(Buffer.from(String(headers['dpop']).split('.')[1] ?? '', 'base64url').toString())

const steps = ['/1', '/2', '/3']
const next: Readonly<Record<string, string>> = { '/1': '/2', '/2': '/3' }

/** Responds to a request that was let in: leads on to the next path, or ends. */
const letIn: RequestListener = ({ url = '' }, response) => {
  const location = next[url]
  response.writeHead(location ? 302 : 200, location ? { location } : {}).end()
}

/** Records what a scheme is asked. */
function recorded(auth: AuthScheme): { auth: AuthScheme; asked: OutgoingRequest[] } {
  const asked: OutgoingRequest[] = []
  const authorize: AuthScheme['authorize'] = (outgoing) => {
    asked.push(outgoing)
    return auth.authorize(outgoing)
  }
  return { auth: { ...auth, authorize }, asked }
}

describe.each(clients)('%s answers the challenge of each hop', (name, connect) => {
  test('of Digest, each of a realm of its own', async () => {
    const baseUrl = await startServer((incoming, response) => {
      const realm = `of ${incoming.url}`
      if (answers(realm, incoming)) return letIn(incoming, response)
      const challenge = `Digest realm="${realm}", nonce="n${realm}", qop="auth", algorithm=SHA-256`
      return void response.writeHead(401, { 'www-authenticate': challenge }).end()
    })
    const credentials = { username: 'reader', password: 'right' }
    const { auth, asked } = recorded(createDigestAuth({ baseUrl, credentials }))
    expect(await connect(auth)(`${baseUrl}/1`)).toBe(200)
    expect(asked.map(({ url }) => url.pathname)).toEqual(steps.flatMap((path) => [path, path]))
    // To a dispatcher of undici, each hop is a call.
    const attempts = name === 'undici' ? [1, 2, 1, 2, 1, 2] : [1, 2, 3, 4, 5, 6]
    expect(asked.map(({ attempt }) => attempt)).toEqual(attempts)
  })

  test('of DPoP, each with a nonce of its own', async () => {
    const baseUrl = await startServer((incoming, response) => {
      if (claimsOf(incoming).nonce === incoming.url) return letIn(incoming, response)
      const headers = {
        'www-authenticate': 'DPoP error="use_dpop_nonce"',
        'dpop-nonce': incoming.url,
      }
      return void response.writeHead(401, headers).end()
    })
    const issuer = 'https://login.example.com'
    const client = { issuer, clientId: 'client', clientSecret: 'secret', dpop: dpop() }
    const auth = createSessionAuth({
      baseUrl,
      ...clientCredentials(client),
      session: 'own',
      fetch: async (input) =>
        Response.json(
          String(input instanceof Request ? input.url : input).includes('/.well-known/')
            ? {
                issuer,
                token_endpoint: `${issuer}/token`,
                dpop_signing_alg_values_supported: ['ES256'],
              }
            : { access_token: 'token', token_type: 'DPoP', expires_in: 3600 },
        ),
    })
    expect(await connect(auth)(`${baseUrl}/1`)).toBe(200)
  })
})
