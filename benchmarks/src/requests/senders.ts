import { authFetch, authKy } from '@svc/auth-hooks'
import { authAxios } from '@svc/auth-hooks/axios'
import { authGot } from '@svc/auth-hooks/got'
import { authFetch as lightAuthFetch } from '@svc/auth-hooks/light'
import { authInterceptor } from '@svc/auth-hooks/undici'
import type { AuthScheme } from '@svc/types'
import axios from 'axios'
import got from 'got'
import ky from 'ky'
import { Agent, request } from 'undici'
import type { ClientName, Send } from './contender.ts'

/** The ways in which a client sends one request: alone, and with our adapters by their names. */
interface ClientSender {
  bare(url: string, headers: Readonly<Record<string, string>>): Send
  readonly ours: Readonly<Record<string, (url: string, scheme: AuthScheme) => Send>>
}

/** Every client that has an adapter of ours. */
export const senders: Readonly<Record<ClientName, ClientSender>> = {
  fetch: {
    bare: (url, headers) => async () => read(await fetch(url, { headers })),
    ours: {
      authFetch(url, scheme) {
        const send = authFetch(scheme)
        return async () => read(await send(url))
      },
      'light authFetch'(url, scheme) {
        const send = lightAuthFetch(scheme)
        return async () => read(await send(url))
      },
    },
  },
  ky: {
    bare(url, headers) {
      const api = ky.extend({ headers })
      return async () => read(await api(url))
    },
    ours: {
      authKy(url, scheme) {
        const api = ky.extend(authKy(scheme))
        return async () => read(await api(url))
      },
    },
  },
  axios: {
    bare(url, headers) {
      const client = axios.create({ responseType: 'arraybuffer', headers })
      return async () => (await client.get(url)).status
    },
    ours: {
      authAxios(url, scheme) {
        const client = axios.create({ responseType: 'arraybuffer', ...authAxios(scheme) })
        return async () => (await client.get(url)).status
      },
    },
  },
  got: {
    bare(url, headers) {
      const client = got.extend({ headers })
      return async () => (await client(url)).statusCode
    },
    ours: {
      authGot(url, scheme) {
        const client = got.extend(authGot(scheme))
        return async () => (await client(url)).statusCode
      },
    },
  },
  undici: {
    bare(url, headers) {
      const dispatcher = new Agent()
      return async () => dump(await request(url, { dispatcher, headers }))
    },
    ours: {
      authInterceptor(url, scheme) {
        const dispatcher = new Agent().compose(authInterceptor(scheme))
        return async () => dump(await request(url, { dispatcher }))
      },
    },
  },
}

/** Reads a response to its end. */
export async function read(response: Response): Promise<number> {
  await response.arrayBuffer()
  return response.status
}

async function dump({ body, statusCode }: Awaited<ReturnType<typeof request>>): Promise<number> {
  await body.arrayBuffer()
  return statusCode
}
