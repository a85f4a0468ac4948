// Code as users write it. It is compiled with the types of the web platform alone and with those of Node
// alone, by every TypeScript that is supported.
import { AuthError, authFetch, authKy, authorizeRequest, Secret } from '@svc/auth-hooks'
import { createSigV4Auth } from '@svc/auth-sigv4'
import { diagnose } from '@svc/auth-sigv4/diagnose'
import { explain } from '@svc/auth-sigv4/explain'
import { presign } from '@svc/auth-sigv4/presign'
import { streaming } from '@svc/auth-sigv4/streaming'
import { webCryptoEngine } from '@svc/auth-sigv4/webcrypto'
import { createSessionAuth, createTokenAuth } from '@svc/auth-token'
import { authMcp } from '@svc/auth-token/mcp'
import { memoryTokenStore } from '@svc/auth-token/memory-store'
import { clientCredentials, refreshToken } from '@svc/auth-token/oauth2'
import { sharedTokenStore, type TokenStore } from '@svc/auth-token/sharing'
import { deviceCode, loopback, type SignInTokenOptions } from '@svc/auth-token/sign-in'
import { anonymous, createRouteAuthSelector, createServiceRoutes } from '@svc/route-auth-selector'
import { routesFromOpenApi } from '@svc/route-auth-selector/openapi'
import { createServiceAuth, type ServiceAuth } from '@svc/service-auth'
import type { AuthEvent, AuthScheme, Fetch, ObjectGroup } from '@svc/types'

const baseUrl = 'https://search.example.com'
const ownStore: TokenStore = memoryTokenStore()
const token = createTokenAuth({
  baseUrl,
  credentials: async ({ signal }) => ({ username: 'me', password: String(signal.aborted) }),
  store: sharedTokenStore(ownStore),
  fetch: (input, init) => fetch(input, init),
  onEvent: (event: AuthEvent) => void event.type,
})
const sigv4 = createSigV4Auth({
  baseUrl: new URL(baseUrl),
  region: 'us-east-1',
  credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
  engine: webCryptoEngine(),
  payload: streaming({ trailer: 'crc32c' }),
})
export const otherService: AuthScheme = createSessionAuth({
  baseUrl,
  credentials: { tenant: 5, keys: ['a'] },
  async login({ credentials, previous, fetch: send, signal }) {
    const body = JSON.stringify([credentials.tenant, credentials.keys[0], previous?.refreshToken])
    const response: Response = await send(baseUrl, { method: 'POST', body, signal })
    return { token: await response.text(), expiresInMs: 60_000, refreshToken: 'r' }
  },
  headers: (value) => ({ 'x-key': value }),
})
const client = { issuer: 'https://login.example.com', clientId: 'me' }
export const byClient: AuthScheme = createSessionAuth({
  baseUrl,
  ...clientCredentials({ ...client, clientSecret: 'b', clientAuthentication: 'post' }),
})
export const bySignIn: AuthScheme = createSessionAuth({
  baseUrl,
  ...refreshToken({ ...client, refreshToken: 'r', rotation: 'none' }),
  store: sharedTokenStore(ownStore),
})
const asking: SignInTokenOptions[] = [
  deviceCode({ ...client, show: ({ userCode }) => console.log(userCode), sealedWith: 'c' }),
  loopback({ ...client, open: (url) => console.log(url.length), sealedWith: 'c' }),
]
export const byUser: AuthScheme[] = asking.map((signIn) =>
  createSessionAuth({ baseUrl, ...refreshToken(signIn), store: sharedTokenStore(ownStore) }),
)
export const mcpFetch: Fetch = authMcp({
  url: `${baseUrl}/mcp`,
  store: sharedTokenStore(ownStore),
  signIn: ({ issuer, scope }) => refreshToken({ issuer, scope, clientId: 'me', refreshToken: 'r' }),
}).fetch
const apiKey: AuthScheme = {
  name: 'api-key',
  covers: (url) => url.origin === baseUrl,
  authorize: ({ method, headers, body }) => ({
    scheme: 'api-key',
    headers: [['x-api-key', `${method} ${headers.get('accept') ?? ''} ${body?.size ?? 0}`]],
    review: ({ status, headers: received }) =>
      status === 401 && received.get('date') !== null ? 'rejected' : undefined,
  }),
}

export const selector: AuthScheme = createRouteAuthSelector({
  origins: [baseUrl],
  routes: [{ path: '/user/login', method: 'POST', use: anonymous() }],
  otherwise: createServiceRoutes({ baseUrl, token, sigv4 }),
})

export const byDocument: AuthScheme = createRouteAuthSelector(
  routesFromOpenApi({ openapi: '3.1.0', paths: {} }, { schemes: { token }, baseUrl }),
)

export const service: ServiceAuth = createServiceAuth({
  baseUrl,
  region: 'us-east-1',
  user: async ({ signal }) => ({ username: 'me', password: String(signal.aborted) }),
  apiKey: { accessKeyId: 'a', secretAccessKey: 'b' },
  store: sharedTokenStore(ownStore),
  tokenOptions: { renewBeforeMs: 1000 },
  sigv4Options: { engine: webCryptoEngine() },
})
export const tokenOfService: Promise<string> | undefined = service.token?.getToken()

export const fetchWithApiKey: Fetch = authFetch(apiKey, { redirect: 'follow', fetch })
export const forKy: { fetch: Fetch } = authKy(selector, { maxRedirects: 3 })

export async function groups(): Promise<ObjectGroup[]> {
  try {
    const request = new Request(`${baseUrl}/user/groups`, { headers: new Headers({ a: 'b' }) })
    const response: Response = await fetchWithApiKey(request, { signal: AbortSignal.timeout(1000) })
    if (!response.ok) console.error((await diagnose(sigv4, response, request)).summary)
    const authorized: Request = await authorizeRequest(token, baseUrl, { method: 'POST' })
    const link: URL = await presign(sigv4, authorized.url, { expiresInSeconds: 60 })
    const { headers }: { headers: Headers } = await explain(sigv4, link)
    console.log(headers.get('authorization'), new Secret('b').reveal())
    return []
  } catch (error) {
    if (AuthError.is(error) && error.code === 'ERR_AUTH_LOGIN_REFUSED') console.error(error.retryAt)
    throw error
  }
}

// @ts-expect-error -- an option that there is not: the types are not `any`
createTokenAuth({ baseUrl, credentials: { username: 'me', password: 'b' }, retries: 3 })
// @ts-expect-error -- a login without a token
createSessionAuth({ baseUrl, credentials: { key: 'b' }, login: () => ({}) })
// @ts-expect-error -- a password is missing
createServiceAuth({ baseUrl, user: { username: 'me' } })
// @ts-expect-error -- a code that there is not
export const wrongCode: boolean = new AuthError('ERR_AUTH_LOGIN_REFUSED', '').code === 'ERR_OTHER'
