import { authFetch, authKy, authorizeRequest } from '@svc/auth-hooks'
import type { AuthScheme } from '@svc/types'
import ky from 'ky'
import type { RequestContender, ServiceAddress } from './contender.ts'
import { paths, selectorScheme, signatureScheme, tokenScheme } from './schemes.ts'

type Credential = RequestContender['credential']
type CreateScheme = (service: ServiceAddress) => AuthScheme

/** fetch and ky with each of our schemes, and the same headers through fetch and ky alone. */
export const ourContenders: readonly RequestContender[] = (['token', 'signature'] as const).flatMap(
  (credential) => {
    const alone = credential === 'token' ? tokenScheme : signatureScheme
    return [
      bareFetch(credential, alone),
      throughAuthFetch(credential, `authFetch, ${credential}`, alone),
      throughAuthFetch(credential, `authFetch, selector to ${credential}`, selectorScheme),
      bareKy(credential, alone),
      throughAuthKy(credential, `ky with authKy, ${credential}`, alone),
      throughAuthKy(credential, `ky with authKy, selector to ${credential}`, selectorScheme),
    ]
  },
)

/** The headers that a scheme of ours adds to a request. */
export async function sameHeaders(
  scheme: AuthScheme,
  url: string,
): Promise<Record<string, string>> {
  return Object.fromEntries((await authorizeRequest(scheme, url)).headers)
}

function bareFetch(credential: Credential, createScheme: CreateScheme): RequestContender {
  return {
    name: `fetch with the same headers, ${credential}`,
    client: 'fetch',
    isBare: true,
    credential,
    async connect(service) {
      const url = service.baseUrl + paths[credential]
      const headers = await sameHeaders(createScheme(service), url)
      return async () => read(await fetch(url, { headers }))
    },
  }
}

function throughAuthFetch(
  credential: Credential,
  name: string,
  createScheme: CreateScheme,
): RequestContender {
  return {
    name,
    client: 'fetch',
    isBare: false,
    credential,
    async connect(service) {
      const url = service.baseUrl + paths[credential]
      const fetch = authFetch(createScheme(service))
      return async () => read(await fetch(url))
    },
  }
}

function bareKy(credential: Credential, createScheme: CreateScheme): RequestContender {
  return {
    name: `ky with the same headers, ${credential}`,
    client: 'ky',
    isBare: true,
    credential,
    async connect(service) {
      const url = service.baseUrl + paths[credential]
      const api = ky.extend({ headers: await sameHeaders(createScheme(service), url) })
      return async () => read(await api(url))
    },
  }
}

function throughAuthKy(
  credential: Credential,
  name: string,
  createScheme: CreateScheme,
): RequestContender {
  return {
    name,
    client: 'ky',
    isBare: false,
    credential,
    async connect(service) {
      const url = service.baseUrl + paths[credential]
      const api = ky.extend(authKy(createScheme(service)))
      return async () => read(await api(url))
    },
  }
}

async function read(response: Response): Promise<number> {
  await response.arrayBuffer()
  return response.status
}
