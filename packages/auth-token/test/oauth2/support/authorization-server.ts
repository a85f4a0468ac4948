import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as send,
  type RequestListener,
  type ServerResponse,
} from 'node:http'
import { text } from 'node:stream/consumers'
import { exportJWK } from 'jose'
import { onTestFinished } from 'vitest'
import { createProvider, signInAt } from '../../../../../examples/stand-ins/provider.ts'
import { listenOnLoopback } from '../../../../../tests/support/loopback.ts'

/** A request to the token endpoint, as it arrived. */
export interface TokenRequest {
  readonly form: URLSearchParams
  readonly authorization: string
  /** The proof of DPoP. */
  readonly proof: string
  readonly response: ServerResponse
  /** Passes the request on to the provider, and resolves to its response, which nobody has seen yet. */
  readonly exchange: () => Promise<ProviderResponse>
}

interface ProviderResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Responds in place of the provider; `undefined` leaves the request to it. */
export type Intercept = (request: TokenRequest) => Promise<void> | undefined

/** The state of the front, for a test to change. */
export interface World {
  intercept?: Intercept | undefined
  /** The paths that are not there. */
  hidden: readonly string[]
  /** The path that gets no response. */
  delayed?: string | undefined
  /** Called when a request for it is there. */
  onDelayed?: (() => void) | undefined
  /** The time by which its clock is ahead. */
  skewMs: number
}

export const secrets = {
  basic: 'a secret: of+the basic%client',
  post: 'a secret of the posting client',
}

export const reports = 'https://api.example.com/reports'

/** A provider of OpenID Connect behind a front that sees what is sent to it, and a resource server of its tokens. */
export async function authorizationServer(
  options: {
    readonly rotates?: boolean
    readonly publicKey?: CryptoKey
    readonly clockTolerance?: number
    /** Further features of the provider. */
    readonly features?: object
    /** `true` if each client has to bind its tokens to a key. */
    readonly binds?: boolean
  } = {},
) {
  const tokenRequests: TokenRequest[] = []
  const paths: string[] = []
  const world: World = { hidden: [], skewMs: 0 }
  const front = await listen((request, response) => void pass(request, response))
  const { publicKey, rotates = true, clockTolerance = 15, features, binds = false } = options
  const provider = createProvider(front, {
    clients: await clientsWith(publicKey),
    clientDefaults: { dpop_bound_access_tokens: binds },
    clockTolerance,
    rotateRefreshToken: rotates,
    // For pages, which are of another origin.
    clientBasedCORS: () => true,
    features: { clientCredentials: { enabled: true }, ...features },
  })
  provider.proxy = true
  const inner = await listen(provider.callback())
  let revoked = 0
  provider.on('grant.revoked', () => (revoked += 1))

  const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { url: path = '', method = '' } = request
    paths.push(path)
    const body = await text(request)
    response.setHeader('date', new Date(Date.now() + world.skewMs).toUTCString())
    if (world.hidden.includes(path)) return void response.writeHead(404).end()
    if (world.delayed === path) return world.onDelayed?.()
    const exchange = () => forward(inner, { method, path, headers: request.headers, body })
    if (path === '/token') {
      const { authorization = '', dpop: proof = '' } = request.headers
      const form = new URLSearchParams(body)
      const seen = { form, authorization, proof: String(proof), response, exchange }
      tokenRequests.push(seen)
      const intercepted = world.intercept?.(seen)
      if (intercepted) return intercepted
    }
    respond(response, await exchange())
  }

  const resources = await listen((request, response) => {
    void (async () => {
      const value = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
      const token =
        (await provider.AccessToken.find(value)) ?? (await provider.ClientCredentials.find(value))
      response.statusCode = token ? 200 : 401
      response.end(JSON.stringify(token ?? {}))
    })()
  })

  return {
    issuer: front,
    baseUrl: resources,
    /** Finds a token that is good. */
    find: async (value: string) =>
      (await provider.AccessToken.find(value)) ?? provider.ClientCredentials.find(value),
    world,
    tokenRequests,
    paths,
    /** The refresh tokens that reached the token endpoint, with the number of times. */
    spent: (): number[] => {
      const counts = new Map<string, number>()
      for (const { form } of tokenRequests) {
        const value = form.get('refresh_token') ?? ''
        if (value) counts.set(value, (counts.get(value) ?? 0) + 1)
      }
      return [...counts.values()]
    },
    /** The number of sign-ins that the provider has ended, as when a refresh token came twice. */
    revoked: () => revoked,
    /** Returns the refresh token that a user's sign-in would give. */
    signIn: (resource = reports, bound: object = {}): Promise<string> =>
      signInAt(provider, resource, bound),
    /** Ends an access token alone: the provider's own revocation would end its refresh token, too. */
    end: async (token: string): Promise<void> => {
      await (await provider.AccessToken.find(token))?.destroy()
    },
    revoke: async (token: string, client: string, secret: string): Promise<void> => {
      await fetch(`${front}/token/revocation`, {
        method: 'POST',
        body: new URLSearchParams({ token, client_id: client, client_secret: secret }),
      })
    },
  }
}

/** Keeps back the response to the next exchange, which the provider has made, until it is released. */
export function holdNextExchange(world: World): { isHeld: () => boolean; release: () => void } {
  let release: (() => void) | undefined
  world.intercept = async ({ exchange, response }) => {
    world.intercept = undefined
    const found = await exchange()
    await new Promise<void>((resolve) => (release = resolve))
    respond(response, found)
  }
  return { isHeld: () => release !== undefined, release: () => release?.() }
}

/** Sends a response of the provider's on. */
export function respond(
  response: ServerResponse,
  { status, headers, body }: ProviderResponse,
): void {
  const { date: _date, 'transfer-encoding': _encoding, connection: _connection, ...rest } = headers
  response.writeHead(status, rest).end(body)
}

/** Returns the clients: for themselves, by each kind of secret, and for a user. */
async function clientsWith(publicKey: CryptoKey | undefined): Promise<object[]> {
  const own = { grant_types: ['client_credentials'], redirect_uris: [], response_types: [] }
  const key = publicKey && { ...(await exportJWK(publicKey)), kid: 'the key', alg: 'ES256' }
  const withKey = { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [key] } }
  return [
    ...(key ? [{ ...own, client_id: 'keyed', ...withKey }] : []),
    { ...own, client_id: 'basic', client_secret: secrets.basic },
    {
      ...own,
      client_id: 'post',
      client_secret: secrets.post,
      token_endpoint_auth_method: 'client_secret_post',
    },
    {
      client_id: 'app',
      grant_types: ['authorization_code', 'refresh_token'],
      redirect_uris: ['https://app.example.com/signed-in'],
      token_endpoint_auth_method: 'none',
    },
  ]
}

async function listen(listener: RequestListener): Promise<string> {
  const { url, close } = await listenOnLoopback(createServer(listener))
  onTestFinished(close)
  return url.origin
}

function forward(
  origin: string,
  request: {
    readonly method: string
    readonly path: string
    readonly headers: IncomingHttpHeaders
    readonly body: string
  },
): Promise<ProviderResponse> {
  const { method, path, headers, body } = request
  return new Promise((resolve, reject) => {
    const sent = send(origin + path, { method, headers, agent: false }, (response) => {
      const { statusCode: status = 0, headers: received } = response
      text(response).then((read) => resolve({ status, headers: received, body: read }), reject)
    })
    sent.on('error', reject).end(body)
  })
}
