import { OAuth2Client, OAuth2Fetch } from '@badgateway/oauth2-client'
import { authorizeRequest } from '@svc/auth-hooks'
import { createTokenAuth } from '@svc/auth-token'
import { createSignedFetcher } from 'aws-sigv4-fetch'
import { aws4Interceptor } from 'aws4-axios'
import { AwsClient } from 'aws4fetch'
import axios from 'axios'
import { createAuthRefresh } from 'axios-auth-refresh'
import { allowInsecureRequests, Configuration, fetchProtectedResource } from 'openid-client'
import type { RequestContender, ServiceAddress } from './contender.ts'
import { paths, region, tokenScheme } from './schemes.ts'
import { read } from './senders.ts'

const signature = { role: 'peer', credential: 'signature' } as const
const token = { role: 'peer', credential: 'token' } as const

/** Other libraries that sign, and that send a token. */
export const peerContenders: readonly RequestContender[] = [
  {
    ...signature,
    name: 'aws4fetch',
    client: 'fetch',
    async connect({ baseUrl, apiKey }) {
      const client = new AwsClient({ ...apiKey, region, service: 's3' })
      return async () => read(await client.fetch(baseUrl + paths.signature))
    },
  },
  {
    ...signature,
    name: 'aws-sigv4-fetch',
    client: 'fetch',
    async connect({ baseUrl, apiKey }) {
      const send = createSignedFetcher({ service: 's3', region, credentials: apiKey })
      return async () => read(await send(baseUrl + paths.signature))
    },
  },
  {
    ...signature,
    name: 'axios with aws4-axios',
    client: 'axios',
    async connect({ baseUrl, apiKey }) {
      const client = axios.create({ responseType: 'arraybuffer' })
      client.interceptors.request.use(
        aws4Interceptor({ options: { region, service: 's3' }, credentials: apiKey }),
      )
      return async () => (await client.get(baseUrl + paths.signature)).status
    },
  },
  {
    ...token,
    name: '@badgateway/oauth2-client',
    client: 'fetch',
    isBearer: true,
    async connect(service) {
      const session = new OAuth2Fetch({
        client: new OAuth2Client({ clientId: 'client' }),
        getNewToken: async () => ({
          accessToken: await logIn(service),
          expiresAt: null,
          refreshToken: null,
        }),
      })
      return async () => read(await session.fetch(service.baseUrl + paths.token))
    },
  },
  {
    ...token,
    name: 'openid-client',
    client: 'fetch',
    isBearer: true,
    async connect(service) {
      const config = new Configuration({ issuer: service.baseUrl }, 'client')
      allowInsecureRequests(config)
      // It keeps no token: its user does.
      const accessToken = await logIn(service)
      const url = new URL(service.baseUrl + paths.token)
      return async () => read(await fetchProtectedResource(config, accessToken, url, 'GET'))
    },
  },
  {
    ...token,
    name: 'axios with axios-auth-refresh',
    client: 'axios',
    async connect(service) {
      const url = service.baseUrl + paths.token
      const client = axios.create({ responseType: 'arraybuffer' })
      let { headers } = await authorizeRequest(tokenScheme(service), url)
      client.interceptors.request.use((config) => {
        for (const [name, value] of headers) config.headers.set(name, value)
        return config
      })
      // Its types are made for those that CommonJS has of axios.
      createAuthRefresh(client as never, async () => {
        headers = (await authorizeRequest(tokenScheme(service), url)).headers
      })
      return async () => (await client.get(url)).status
    },
  },
]

/** Logs in as our session does; all of these libraries leave it to their users. */
function logIn({ baseUrl, user }: ServiceAddress): Promise<string> {
  return createTokenAuth({ baseUrl, credentials: user }).getToken()
}
