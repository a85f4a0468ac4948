import {
  bearerTokenAuthenticationPolicy,
  createHttpHeaders,
  createPipelineRequest,
  type PipelineResponse,
} from '@azure/core-rest-pipeline'
import { OAuth2Client as BadgatewayClient, OAuth2Fetch } from '@badgateway/oauth2-client'
import { OAuth2Client } from 'google-auth-library'
import {
  clientCredentialsGrant,
  Configuration,
  customFetch,
  fetchProtectedResource,
} from 'openid-client'
import { lifetimeSeconds, type TokenContender, url } from './token-contender.ts'

const expiresAt = (): number => Date.now() + lifetimeSeconds * 1000
const resolved = Promise.resolve(new Response(null))

const azure: TokenContender = {
  name: '@azure/core-rest-pipeline',
  open(logIn) {
    const policy = bearerTokenAuthenticationPolicy({
      scopes: 'scope',
      credential: {
        getToken: async () => ({ token: await logIn(), expiresOnTimestamp: expiresAt() }),
      },
    })
    const response: PipelineResponse = {
      request: createPipelineRequest({ url }),
      status: 200,
      headers: createHttpHeaders(),
    }
    const resolvedInPipeline = Promise.resolve(response)
    return {
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
    return { send: () => through(new Request(url), () => resolved) }
  },
}

/** google-auth-library with a refresh token, which its own endpoint takes. */
const google: TokenContender = {
  name: 'google-auth-library',
  open(logIn) {
    const client = new OAuth2Client({
      clientId: 'client',
      clientSecret: 'not-a-secret',
      transporterOptions: {
        fetchImplementation: async (input) =>
          String(input instanceof Request ? input.url : input) === url
            ? new Response(null)
            : Response.json({ access_token: await logIn(), expires_in: lifetimeSeconds }),
      },
    })
    client.setCredentials({ refresh_token: 'not-a-secret' })
    return { send: () => client.request({ url }) }
  },
}

/** openid-client, whose user keeps the token as soon as it is there: it does not do so itself. */
const openid: TokenContender = {
  name: 'openid-client',
  open(logIn) {
    const issuer = 'https://login.example.com'
    const config = new Configuration({ issuer, token_endpoint: `${issuer}/token` }, 'client', 'key')
    config[customFetch] = async (input) =>
      input === url
        ? new Response(null)
        : Response.json({
            access_token: await logIn(),
            token_type: 'bearer',
            expires_in: lifetimeSeconds,
          })
    const target = new URL(url)
    let token: string | undefined
    return {
      async send() {
        token ??= (await clientCredentialsGrant(config)).access_token
        return fetchProtectedResource(config, token, target, 'GET')
      },
    }
  },
}

/** Other libraries. */
export const tokenPeers: readonly TokenContender[] = [badgateway, openid, azure, google]
