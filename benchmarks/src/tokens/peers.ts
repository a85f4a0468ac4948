import {
  bearerTokenAuthenticationPolicy,
  createHttpHeaders,
  createPipelineRequest,
  type PipelineResponse,
} from '@azure/core-rest-pipeline'
import { OAuth2Client as BadgatewayClient, OAuth2Fetch } from '@badgateway/oauth2-client'
import { OAuth2Client } from 'google-auth-library'
import { lifetimeSeconds, type TokenContender, url } from './token-contender.ts'

const expiresAt = (): number => Date.now() + lifetimeSeconds * 1000
const resolved = Promise.resolve(new Response(null))

/** google-auth-library with a handler that logs in, as for a service of one's own. */
const googleRefreshHandler: TokenContender = {
  name: 'google-auth-library, refreshHandler',
  open(logIn) {
    const client = new OAuth2Client()
    client.refreshHandler = async () => ({ access_token: await logIn(), expiry_date: expiresAt() })
    return { token: () => client.getRequestHeaders() }
  },
}

/** google-auth-library with a refresh token, which its own endpoint takes. */
const googleRefreshToken: TokenContender = {
  name: 'google-auth-library, refresh token',
  open(logIn) {
    const client = new OAuth2Client({
      clientId: 'client',
      clientSecret: 'not-a-secret',
      transporterOptions: {
        fetchImplementation: async () =>
          Response.json({ access_token: await logIn(), expires_in: lifetimeSeconds }),
      },
    })
    client.setCredentials({ refresh_token: 'not-a-secret' })
    return { token: () => client.getRequestHeaders() }
  },
}

const azure: TokenContender = {
  name: '@azure/core-rest-pipeline, bearer policy',
  open(logIn) {
    const policy = bearerTokenAuthenticationPolicy({
      scopes: 'scope',
      credential: {
        getToken: async () => ({ token: await logIn(), expiresOnTimestamp: expiresAt() }),
      },
    })
    const request = createPipelineRequest({ url })
    const response: PipelineResponse = { request, status: 200, headers: createHttpHeaders() }
    const resolvedInPipeline = Promise.resolve(response)
    return {
      // It gives its token to nobody but a request.
      token: () => policy.sendRequest(request, () => resolvedInPipeline),
      send: () => policy.sendRequest(createPipelineRequest({ url }), () => resolvedInPipeline),
    }
  },
}

const badgateway: TokenContender = {
  name: '@badgateway/oauth2-client',
  open(logIn) {
    const session = new OAuth2Fetch({
      client: new BadgatewayClient({ clientId: 'client' }),
      getNewToken: async () => ({
        accessToken: await logIn(),
        expiresAt: expiresAt(),
        refreshToken: null,
      }),
    })
    const through = session.mw()
    return {
      token: () => session.getAccessToken(),
      send: () => through(new Request(url), () => resolved),
    }
  },
}

export const tokenPeers: readonly TokenContender[] = [
  googleRefreshHandler,
  googleRefreshToken,
  azure,
  badgateway,
]
