import { authFetch, authKy } from '@svc/auth-hooks'
import { authAxios } from '@svc/auth-hooks/axios'
import { authGot } from '@svc/auth-hooks/got'
import { authInterceptor } from '@svc/auth-hooks/undici'
import type { AuthScheme } from '@svc/types'
import axios from 'axios'
import got from 'got'
import ky from 'ky'
import { Agent, request } from 'undici'
import type { ClientName, Send } from './contender.ts'

/** The two ways in which a client sends one request: alone, and with our adapter. */
interface ClientSender {
  /** The name of our adapter. */
  readonly adapter: string
  bare(url: string, headers: Readonly<Record<string, string>>): Send
  authenticated(url: string, scheme: AuthScheme): Send
}

/** Every client that has an adapter of ours. */
export const senders: Readonly<Record<ClientName, ClientSender>> = {
  fetch: {
    adapter: 'authFetch',
    bare: (url, headers) => async () => read(await fetch(url, { headers })),
    authenticated(url, scheme) {
      const send = authFetch(scheme)
      return async () => read(await send(url))
    },
  },
  ky: {
    adapter: 'authKy',
    bare(url, headers) {
      const api = ky.extend({ headers })
      return async () => read(await api(url))
    },
    authenticated(url, scheme) {
      const api = ky.extend(authKy(scheme))
      return async () => read(await api(url))
    },
  },
  axios: {
    adapter: 'authAxios',
    bare(url, headers) {
      const client = axios.create({ responseType: 'arraybuffer', headers })
      return async () => (await client.get(url)).status
    },
    authenticated(url, scheme) {
      const client = axios.create({ responseType: 'arraybuffer', ...authAxios(scheme) })
      return async () => (await client.get(url)).status
    },
  },
  got: {
    adapter: 'authGot',
    bare(url, headers) {
      const client = got.extend({ headers })
      return async () => (await client(url)).statusCode
    },
    authenticated(url, scheme) {
      const client = got.extend(authGot(scheme))
      return async () => (await client(url)).statusCode
    },
  },
  undici: {
    adapter: 'authInterceptor',
    bare(url, headers) {
      const dispatcher = new Agent()
      return async () => dump(await request(url, { dispatcher, headers }))
    },
    authenticated(url, scheme) {
      const dispatcher = new Agent().compose(authInterceptor(scheme))
      return async () => dump(await request(url, { dispatcher }))
    },
  },
}

async function read(response: Response): Promise<number> {
  await response.arrayBuffer()
  return response.status
}

async function dump({ body, statusCode }: Awaited<ReturnType<typeof request>>): Promise<number> {
  await body.arrayBuffer()
  return statusCode
}
