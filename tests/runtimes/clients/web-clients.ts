import { authFetch, authKy } from '@svc/auth-hooks'
import { authFetch as lightFetch } from '@svc/auth-hooks/light'
import { authAxios } from '@svc/auth-hooks/axios'
import { authOpenApi } from '@svc/auth-hooks/openapi-fetch'
import type { AuthScheme, Fetch } from '@svc/types'
import { isReactNative } from '../runtime-kind.ts'
import type { RuntimeClient } from './client.ts'

/** Options without which some runtime sends nothing. */
const trusting = isReactNative ? { trustRedirects: true } : {}
const asText = { 'content-type': 'text/plain' }

/** The part of ky that is alike in both majors. */
interface Ky {
  readonly extend: (options: object) => (url: URL, init: RequestInit) => Promise<Response>
}

/** The OpenAPI description of a service that takes anything at any path. */
type Paths = Record<string, Record<'get' | 'put', Operation>>
interface Operation {
  readonly requestBody?: { readonly content: { readonly 'text/plain': string } }
  readonly responses: { readonly 200: { readonly content: { readonly 'text/plain': string } } }
}

/** ky, of the major that a runtime takes. */
export function kyClient(load: () => Promise<{ readonly default: Ky }>): RuntimeClient {
  return {
    name: 'ky',
    async connect(auth) {
      const ky = (await load()).default.extend(authKy(auth, trusting))
      return async (url, method, body) => (await ky(url, initOf(method, body))).text()
    },
  }
}

/** The clients that run wherever there is a `fetch`, ky left out. */
export const webClients: readonly RuntimeClient[] = [
  {
    name: 'fetch',
    async connect(auth) {
      const send = fetchOf(auth)
      return async (url, method, body) => textOf(await send(url, initOf(method, body)))
    },
  },
  {
    name: 'fetch, light',
    async connect(auth) {
      const send = lightFetch(auth)
      return async (url, method, body) => textOf(await send(url, initOf(method, body)))
    },
  },
  {
    name: 'axios',
    async connect(auth) {
      const { default: axios } = await import('axios')
      const api = axios.create({ ...authAxios(auth, { ...trusting, axios }) })
      return async (url, method, data) => {
        const response = await api.request<string>({
          url: url.href,
          method,
          responseType: 'text',
          ...(data !== undefined && { data, headers: asText }),
        })
        return response.data
      }
    },
  },
  {
    name: 'openapi-fetch',
    async connect(auth) {
      const { default: createClient } = await import('openapi-fetch')
      return async (url, method, body) => {
        const api = createClient<Paths>({
          baseUrl: url.origin,
          ...authOpenApi(auth, trusting),
        })
        const { response } = await api.request(method === 'GET' ? 'get' : 'put', url.pathname, {
          parseAs: 'stream',
          ...(body !== undefined && { body, bodySerializer: () => body, headers: asText }),
        })
        return textOf(response)
      }
    },
  },
  {
    name: 'hey-api',
    async connect(auth) {
      const { createClient } = await import('@hey-api/client-fetch')
      const fetch = fetchOf(auth)
      return async (url, method, body) => {
        const api = createClient({ baseUrl: url.origin, fetch })
        const { response } = await api.request({
          method,
          url: url.pathname,
          parseAs: 'stream',
          ...(body !== undefined && { body, bodySerializer: null, headers: asText }),
        })
        return textOf(response)
      }
    },
  },
  {
    name: 'ofetch',
    async connect(auth) {
      const { createFetch } = await import('ofetch')
      const api = createFetch({ fetch: fetchOf(auth) })
      return (url, method, body) =>
        api<string, 'text'>(url.href, { ...initOf(method, body), responseType: 'text' })
    },
  },
  {
    name: 'wretch',
    async connect(auth) {
      const { default: wretch } = await import('wretch')
      const api = wretch().fetchPolyfill(fetchOf(auth))
      return (url, method, body) =>
        api.url(url.href).options(initOf(method, body)).fetch(method).text()
    },
  },
  {
    name: 'better-fetch',
    async connect(auth) {
      const { createFetch } = await import('@better-fetch/fetch')
      const api = createFetch({ customFetchImpl: fetchOf(auth), throw: true })
      return async (url, method, body) =>
        String(await api(url.href, { ...initOf(method, body), jsonParser: (text) => text }))
    },
  },
  {
    name: 'up-fetch',
    async connect(auth) {
      const { up } = await import('up-fetch')
      const api = up(authFetch(auth, { ...trusting, rebuildRequests: true }))
      return (url, method, body) =>
        api(url, { ...initOf(method, body), parseResponse: (response) => response.text() })
    },
  },
]

/** All clients that run wherever there is a `fetch`. */
export const webClientsAndKy: readonly RuntimeClient[] = [
  ...webClients,
  kyClient(() => import('ky')),
]

function fetchOf(auth: AuthScheme): Fetch {
  return authFetch(auth, trusting)
}

function initOf(method: 'GET' | 'PUT', body: string | undefined) {
  return { method, ...(body !== undefined && { body, headers: asText }) }
}

async function textOf(response: Response): Promise<string> {
  if (!response.ok) throw new Error(`the service responded with ${response.status}`)
  return response.text()
}
