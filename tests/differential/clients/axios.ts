import { Agent as HttpAgent } from 'node:http'
import { authAxios } from '@svc/auth-hooks/axios'
import axios, { type AxiosRequestConfig, type AxiosResponse } from 'axios'
import axios17 from 'axios17'
import { Agent } from 'undici7'
import type { Case } from '../case.ts'
import { type Answer, type Call, type Client, entries } from './client.ts'

type Axios = typeof axios
type Way = 'http' | 'fetch'

/** The newest and the oldest axios that is supported, over both of its adapters. */
export const axiosClients: readonly Client[] = [
  axiosClient('axios', axios, 'http'),
  axiosClient('axios', axios, 'fetch'),
  // Only the types of the two differ.
  axiosClient('axios 1.7', axios17 as unknown as Axios, 'http'),
  axiosClient('axios 1.7', axios17 as unknown as Axios, 'fetch'),
]

function axiosClient(name: string, library: Axios, way: Way): Client {
  return {
    name: `${name} over ${way}`,
    adapter: 'authAxios',
    // The oldest follows every redirect over `fetch`.
    takes: (one) =>
      (way === 'http' ? httpTakes(one) : fetchTakes(one)) &&
      !(name === 'axios 1.7' && way === 'fetch' && one.mode === 'manual'),
    open(auth) {
      const httpAgent = new HttpAgent({ keepAlive: true, maxSockets: 1 })
      const dispatcher = new Agent({ connections: 1 })
      const api = library.create({
        ...(auth
          ? authAxios(auth.scheme, { ...auth.options, adapter: way, axios: library })
          : { adapter: way }),
        ...(way === 'http' ? { httpAgent } : { fetchOptions: { dispatcher } }),
      })
      return {
        send: async (call) => answerOf(await api.request(configOf(call))),
        async close() {
          httpAgent.destroy()
          await dispatcher.destroy()
        },
      }
    },
  }
}

/** It makes JSON of a generator. */
function httpTakes({ mode, body }: Case): boolean {
  return mode !== 'error' && body !== 'async generator'
}

function fetchTakes(one: Case): boolean {
  return httpTakes(one) && (one.body === 'none' || (one.method !== 'GET' && one.method !== 'HEAD'))
}

function configOf({ url, method, headers, body, one }: Call): AxiosRequestConfig {
  return {
    url,
    method,
    headers: { ...headers },
    responseType: 'text',
    ...(body !== undefined && { data: body }),
    ...(one.mode === 'manual' && { maxRedirects: 0 }),
    ...(one.limit === 'request body' && { maxBodyLength: 50 }),
    ...(one.limit === 'response body' && { maxContentLength: 50 }),
  }
}

function answerOf({ status, statusText, headers, data, request }: AxiosResponse): Answer {
  const body = typeof data === 'string' ? data : JSON.stringify(data)
  const url: unknown = (request as { res?: { responseUrl?: unknown } } | undefined)?.res
    ?.responseUrl
  return {
    status,
    headers: entries(Object.fromEntries(Object.entries(headers))),
    body,
    shown: { statusText, url },
  }
}
