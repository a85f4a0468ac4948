/* oxlint-disable typescript/no-unsafe-type-assertion -- odd values are given where the types of the clients allow none */
import { authFetch } from '@svc/auth-hooks'
import { authAxios } from '@svc/auth-hooks/axios'
import axios, { type AxiosRequestConfig } from 'axios'
import axios17 from 'axios17'
import * as undici7 from 'undici7'
import { agentOf } from './agent.ts'
import { given } from './arguments.ts'
import type { OpenClient } from './client.ts'
import { dispatcherOf } from './dispatcher.ts'

/** axios, the current one and the oldest that is supported. */
export const openClients: Readonly<Record<string, OpenClient>> = {
  'axios-http': axiosClient(axios, 'http'),
  'axios-fetch': axiosClient(axios, 'fetch'),
  'axios-env-fetch': axiosClient(axios, 'env'),
  'axios17-http': axiosClient(axios17, 'http'),
  'axios17-fetch': axiosClient(axios17, 'fetch'),
}

function axiosClient(library: unknown, adapter: 'http' | 'fetch' | 'env'): OpenClient {
  const copy = library as typeof axios
  return ({ scheme, options, transport }) => {
    const { agent, close } = agentOf(transport)
    const { dispatcher, close: closeDispatcher } = dispatcherOf(undici7, transport)
    const own = adapter === 'http' ? 'http' : 'fetch'
    const env = { fetch: scheme ? authFetch(scheme, options) : fetch, Request, Response }
    const api = copy.create({
      adapter: own,
      // Without this it uses a `Request` and a `Response` of before the world was replaced.
      ...(adapter === 'env' && ({ env } as object)),
      ...(scheme &&
        adapter !== 'env' &&
        authAxios(scheme, { ...options, adapter: own, axios: copy })),
    })
    return {
      async close() {
        await close()
        await closeDispatcher()
      },
      async send({ url, method, headers, body, signal, timeout, init, isStreamed }) {
        const config = {
          ...(agent && { httpAgent: agent }),
          ...(dispatcher && { fetchOptions: { dispatcher } }),
          ...init,
          ...given({ url, method, headers, data: body, signal, timeout }),
          responseType: isStreamed ? 'stream' : 'text',
          validateStatus: () => true,
        }
        const { data } = await api.request(config as AxiosRequestConfig)
        return data
      },
    }
  }
}
