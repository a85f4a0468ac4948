import { Agent } from 'node:https'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { authFetch } from '@svc/auth-hooks'
import { authAxios } from '@svc/auth-hooks/axios'
import axios, {
  type AxiosInstance,
  type AxiosRequestConfig,
  type AxiosResponse,
  isAxiosError,
} from 'axios'
import axios17 from 'axios17'
import { Agent as Dispatcher } from 'undici7'
import {
  type Body,
  type ClientCall,
  type ClientResponse,
  type ClientUnderTest,
  type ConnectionSettings,
  redirectOptions,
} from '../client.ts'
import { wholeResponse } from '../response.ts'
import { versionOf } from '../version-of.ts'
import { bareRequestLimits } from './bare-requests.ts'
import { innerFetch } from './inner-fetch.ts'
import { nodeStream } from './node-stream.ts'

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only the types of the two differ
const axiosOf17 = axios17 as unknown as typeof axios

const speaksHttp1 = 'it speaks only HTTP/1.1 over `node:http`'

/** axios over `fetch`. */
export const axiosFetchClient: ClientUnderTest = axiosClient(axios, 'fetch', versionOf('axios'))

/** axios over `node:http`. */
export const axiosHttpClient: ClientUnderTest = axiosClient(axios, 'http', versionOf('axios'))

/** The oldest axios that is supported. */
export const axios17Clients: readonly ClientUnderTest[] = [
  axiosClient(axiosOf17, 'fetch', versionOf('axios17')),
  {
    ...axiosClient(axiosOf17, 'http', versionOf('axios17')),
    cannot: {
      'HTTP/2': speaksHttp1,
      'a refused token over HTTP/2: the body is sent again': speaksHttp1,
    },
  },
]

/** axios' own adapter for `fetch`, with nothing but a `fetch`. */
export const axiosEnvFetchClient: ClientUnderTest = {
  name: 'axios',
  way: 'env.fetch',
  version: versionOf('axios'),
  adapter: 'authFetch',
  refuses: bareRequestLimits.refuses,
  cannot: {
    ...bareRequestLimits.cannot,
    'FormData, with a file':
      'on Node its `fetch` adapter announces a form as `application/x-www-form-urlencoded`',
  },
  connect(scheme, settings) {
    const { fetch, dispatcherOption, close } = innerFetch(settings)
    const api = axios.create({
      adapter: 'fetch',
      env: { fetch: authFetch(scheme, { ...settings.options, fetch }) },
      fetchOptions: dispatcherOption,
    })
    return { shown: [api, api.defaults], close, send: (call) => send(api, call, 'fetch') }
  },
}

function axiosClient(
  library: typeof axios,
  adapter: 'fetch' | 'http',
  version: string,
): ClientUnderTest {
  return {
    name: 'axios',
    way: adapter,
    version,
    adapter: 'authAxios',
    connect(scheme, settings) {
      const agents = agentsOf(settings)
      const api = library.create({
        ...authAxios(scheme, { ...redirectOptions(settings.options), adapter, axios: library }),
        ...agents[adapter],
      })
      return {
        shown: [api, api.defaults],
        close: () => agents.dispatcher.destroy(),
        send: (call) => send(api, call, adapter),
      }
    },
  }
}

/** Settings by which either adapter trusts a certificate and speaks HTTP/2, or asks a guard. */
function agentsOf({ ca, guard }: ConnectionSettings) {
  const dispatcher = new Dispatcher(ca === undefined ? {} : { allowH2: true, connect: { ca } })
  if (guard) {
    // The same interceptors, which the types of the two majors describe apart.
    const guarded = dispatcher.compose(guard.interceptor as never)
    const http = { httpAgent: guard.agent }
    return { dispatcher, fetch: { fetchOptions: { dispatcher: guarded } }, http }
  }
  if (ca === undefined) return { dispatcher, fetch: {}, http: {} }
  return {
    dispatcher,
    fetch: { fetchOptions: { dispatcher } },
    http: { httpsAgent: new Agent({ ca }), httpVersion: 2, http2Options: { ca } } as const,
  }
}

async function send(
  api: AxiosInstance,
  call: ClientCall,
  adapter: 'fetch' | 'http',
): Promise<ClientResponse> {
  intercept(api, call)
  return axiosResponseOf(await api.request(configOf(call, adapter)))
}

function configOf(call: ClientCall, adapter: 'fetch' | 'http'): AxiosRequestConfig {
  const { url, method, headers, body, json, signal, timeoutMs } = call
  return {
    url: url.href,
    method,
    responseType: call.streamed ? 'stream' : 'text',
    // Over `fetch` it takes a Blob for a form, unless it is told otherwise.
    headers: { ...(body instanceof Blob && { 'content-type': body.type }), ...headers },
    ...(json && { data: json }),
    ...(body !== undefined && { data: dataOf(body, adapter) }),
    ...(signal && { signal }),
    ...(timeoutMs !== undefined && { timeout: timeoutMs }),
  }
}

function dataOf(body: Body, adapter: 'fetch' | 'http'): unknown {
  return body instanceof ReadableStream && adapter === 'http' ? nodeStream(body) : body
}

/** Sets hooks and retries as programs do: axios has interceptors for both. */
function intercept(api: AxiosInstance, { hook, retries = 0 }: ClientCall): void {
  api.interceptors.request.clear()
  api.interceptors.response.clear()
  api.interceptors.request.use((config) => {
    for (const [name, value] of Object.entries(hook?.() ?? {})) config.headers.set(name, value)
    return config
  })
  let left = retries
  api.interceptors.response.use(undefined, async (error: unknown) => {
    if (!isAxiosError(error) || error.status !== 503 || left === 0 || !error.config) throw error
    left -= 1
    return api.request(error.config)
  })
}

function axiosResponseOf(
  response: AxiosResponse<string | Readable | ReadableStream<Uint8Array>>,
): ClientResponse {
  const { status, data } = response
  if (typeof data === 'string') return wholeResponse(status, data, response)
  return { status, text: () => text(data), chunks: () => data, shown: response }
}
