import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { onTestFinished } from 'vitest'
import { createProvider } from '../../../../../examples/stand-ins/provider.ts'
import { listenOnLoopback } from '../../../../../tests/support/loopback.ts'

export const reports = 'https://api.example.com/reports'

/** Responds in place of the provider, and returns `true`; else the request is left to it. */
export type Intercept = (request: IncomingMessage, response: ServerResponse) => boolean

/** A request as it arrived. */
export interface Seen {
  readonly path: string
  readonly status: number
}

/** What a test may do to the provider. */
export interface World {
  intercept?: Intercept | undefined
  /** Has the next response of the token endpoint break off. */
  cutOff?: boolean | undefined
}

/** A provider of OpenID Connect that users sign in at: with the device flow, registration, and refresh tokens that rotate. */
export async function startProvider(
  options: {
    readonly intervalSeconds?: number
    /** Called with each code that is given out. */
    readonly onCode?: (code: { user_code: string; verification_uri: string }) => void
    /** `true` if the client has to bind its tokens to a key. */
    readonly binds?: boolean
    /** Further features of the provider. */
    readonly features?: object
  } = {},
) {
  const { intervalSeconds, onCode, binds = false, features = {} } = options
  const seen: Seen[] = []
  const world: World = {}
  const server = createServer((request, response) => {
    const path = request.url?.replace(/\?.*/, '') ?? ''
    response.once('finish', () => seen.push({ path, status: response.statusCode }))
    if (world.intercept?.(request, response)) return
    // The provider says none, which stands for 5.
    if (intervalSeconds !== undefined && path === '/device/auth') {
      const end = response.end.bind(response)
      response.end = ((body: string) => {
        const given = JSON.parse(body)
        onCode?.(given)
        const json = JSON.stringify({ ...given, interval: intervalSeconds })
        response.setHeader('content-length', json.length)
        return end(json)
      }) as typeof response.end
    }
    if (world.cutOff === true && path === '/token') {
      world.cutOff = false
      response.end = () => response.destroy()
    }
    handle(request, response)
  })
  const { url, close } = await listenOnLoopback(server)
  onTestFinished(close)
  const revoked: string[] = []
  const issuer = url.origin
  const provider = createProvider(issuer, {
    clients: [
      {
        client_id: 'app',
        application_type: 'native',
        grant_types: [
          'authorization_code',
          'refresh_token',
          'urn:ietf:params:oauth:grant-type:device_code',
        ],
        redirect_uris: ['http://127.0.0.1/callback', 'http://localhost/callback'],
        token_endpoint_auth_method: 'none',
        dpop_bound_access_tokens: binds,
      },
    ],
    features: {
      devInteractions: { enabled: true },
      deviceFlow: { enabled: true },
      registration: { enabled: true },
      ...features,
    },
  })
  provider.on('grant.revoked', (_context, grantId) => revoked.push(grantId))
  const handle = provider.callback()

  return {
    issuer,
    provider,
    world,
    seen,
    /** The grants that were revoked, as when a refresh token came twice. */
    revoked,
    /** Ends the sign-in of an access token, as the server does at a logout. */
    end: async (token: string): Promise<void> => {
      const { grantId = '' } = (await provider.AccessToken.find(token)) ?? {}
      await (await provider.Grant.find(grantId))?.destroy()
    },
    count: (path: string, status?: number): number =>
      seen.filter((one) => one.path === path && (status ?? one.status) === one.status).length,
  }
}
