/* oxlint-disable typescript/no-unsafe-type-assertion -- odd values are given where the types of the clients allow none */
import { type Agent as HttpAgent, Agent } from 'node:http'
import { once } from 'node:events'
import { PassThrough, Readable } from 'node:stream'
import { authFetch, authKy, authorizeRequest, kyAuthHooks } from '@svc/auth-hooks'
import { authAxios } from '@svc/auth-hooks/axios'
import { authGot } from '@svc/auth-hooks/got'
import { authOpenApi } from '@svc/auth-hooks/openapi-fetch'
import { authInterceptor } from '@svc/auth-hooks/undici'
import type { AuthScheme, Fetch } from '@svc/types'
import axios, { type AxiosRequestConfig } from 'axios'
import axios17 from 'axios17'
import got from 'got'
import got14 from 'got14'
import got15 from 'got15'
import ky from 'ky'
import ky1 from 'ky1'
import nodeFetch from 'node-fetch'
import createClient from 'openapi-fetch'
import * as undici8 from 'undici'
import type { Dispatcher } from 'undici'
import * as undici7 from 'undici7'
import { guardHeader } from './guard.ts'

/** A call in nobody's idiom. Its values may be anything. */
export interface OddCall {
  readonly url: unknown
  readonly method: unknown
  readonly headers: unknown
  readonly body: unknown
  readonly signal: unknown
  readonly timeout: unknown
  /** More of an `init`, with its redirect mode. */
  readonly init: object
  /** `true` if everything is to stand in a `Request`, where a client takes one. */
  readonly asRequest: boolean
  /** `true` if `duplex` is left out. */
  readonly withoutDuplex: boolean
  /** `true` if an init is frozen. */
  readonly isFrozen: boolean
  readonly isStreamed: boolean
}

/** The set-up of a client. */
export interface ClientSetup {
  /** None where the client is to send by itself, without an adapter of ours. */
  readonly scheme: AuthScheme | undefined
  readonly options: { readonly redirect?: 'follow' }
  readonly transport: 'default' | 'guard' | 'destroyed' | 'throwing' | 'failing' | 'stuck'
}

/** A client that is set up: a call resolves with what there is to read of its response. */
export interface OddClient {
  send(call: OddCall): Promise<unknown>
  close(): Promise<void>
}

/** Sets up the client of each adapter. */
export const openClients: Readonly<Record<string, (setup: ClientSetup) => OddClient>> = {
  fetch: fetchClient(undici7, undefined),
  'fetch-undici7': fetchClient(undici7, undici7.fetch as unknown as Fetch),
  'fetch-undici8': fetchClient(undici8, undici8.fetch as unknown as Fetch),
  'fetch-node-fetch': nodeFetchClient,
  'authorize-request': authorizeRequestClient,
  ky2: kyClient(ky),
  ky1: kyClient(ky1),
  'ky2-hooks': kyClient(ky, (scheme) => ({ hooks: kyAuthHooks(scheme) })),
  'ky1-hooks': kyClient(ky1, (scheme) => ({ hooks: kyAuthHooks(scheme) })),
  'ky2-create': kyClient(ky, (scheme, options) => ({ fetch: authFetch(scheme, options) })),
  'axios-http': axiosClient(axios, 'http'),
  'axios-fetch': axiosClient(axios, 'fetch'),
  'axios-env-fetch': axiosClient(axios, 'env'),
  'axios17-http': axiosClient(axios17, 'http'),
  'axios17-fetch': axiosClient(axios17, 'fetch'),
  got16: gotClient(got, false),
  got15: gotClient(got15, false),
  got14: gotClient(got14, false),
  'got16-stream': gotClient(got, true),
  'got14-stream': gotClient(got14, true),
  'undici8-request': undiciClient(undici8, 'request'),
  'undici8-stream': undiciClient(undici8, 'stream'),
  'undici8-pipeline': undiciClient(undici8, 'pipeline'),
  'undici8-fetch': undiciClient(undici8, 'fetch'),
  'undici7-request': undiciClient(undici7, 'request'),
  'undici7-stream': undiciClient(undici7, 'stream'),
  'undici7-pipeline': undiciClient(undici7, 'pipeline'),
  'undici7-fetch': undiciClient(undici7, 'fetch'),
  'openapi-fetch': openApiClient,
}

type Undici = typeof undici8 | typeof undici7
type Open = (setup: ClientSetup) => OddClient

function fetchClient(undici: Undici, inner: Fetch | undefined): Open {
  return ({ scheme, options, transport }) => {
    const { dispatcher, close } = dispatcherOf(undici, transport)
    const plain: Fetch = inner ?? ((...given) => fetch(...given))
    const send = scheme ? authFetch(scheme, { ...options, ...(inner && { fetch: inner }) }) : plain
    const Request = inner ? undici.Request : globalThis.Request
    return {
      close,
      send: async (call) => send(...argumentsOf(call, { dispatcher }, Request as never)),
    }
  }
}

function nodeFetchClient({ scheme, options, transport }: ClientSetup): OddClient {
  const { agent, close } = agentOf(transport)
  const inner = nodeFetch as unknown as Fetch
  const send = scheme ? authFetch(scheme, { ...options, fetch: inner }) : inner
  return {
    close,
    send: async (call) => send(...argumentsOf(call, { agent }, Request)),
  }
}

function authorizeRequestClient({ scheme, transport }: ClientSetup): OddClient {
  const { dispatcher, close } = dispatcherOf(undici7, transport)
  return {
    close,
    async send(call) {
      const given = argumentsOf(call, { dispatcher }, Request)
      return fetch(scheme ? await authorizeRequest(scheme, ...given) : new Request(...given))
    },
  }
}

function kyClient(
  library: typeof ky | typeof ky1,
  extension: (scheme: AuthScheme, options: ClientSetup['options']) => object = authKy,
): Open {
  return ({ scheme, options, transport }) => {
    const { dispatcher, close } = dispatcherOf(undici7, transport)
    const api = (library as typeof ky).extend(scheme ? extension(scheme, options) : {})
    return {
      close,
      async send(call) {
        const [input, init] = argumentsOf(call, { dispatcher }, Request)
        const timeout = call.timeout === undefined ? false : call.timeout
        const own = { ...init, timeout, retry: 0, throwHttpErrors: false }
        return api(input, own as Parameters<typeof ky>[1])
      },
    }
  }
}

function axiosClient(library: unknown, adapter: 'http' | 'fetch' | 'env'): Open {
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

function gotClient(library: unknown, isStream: boolean): Open {
  const copy = library as typeof got
  return ({ scheme, options, transport }) => {
    const { agent, close } = agentOf(transport)
    const api = copy.extend(
      { retry: { limit: 0 }, throwHttpErrors: false, ...(agent && { agent: { http: agent } }) },
      ...(scheme ? [authGot(scheme, options)] : []),
    )
    return {
      close,
      async send({ url, method, headers, body, signal, timeout }) {
        const limits = timeout === undefined ? {} : { timeout: { request: timeout } }
        const own = { ...given({ method, headers, body, signal }), ...limits }
        if (!isStream) return (await api(url as string, own as object)).rawBody
        const stream = api.stream(url as string, own as object)
        // Of the upload, which others than got destroy.
        if (body === undefined && !['GET', 'HEAD', undefined].includes(method as string))
          stream.end()
        await once(stream, 'response')
        return stream
      },
    }
  }
}

function undiciClient(library: Undici, way: 'request' | 'stream' | 'pipeline' | 'fetch'): Open {
  const undici = library as typeof undici8
  return ({ scheme, transport }) => {
    const outer = dispatcherOf(undici, transport)
    const agent = outer.dispatcher ?? new undici.Agent()
    const dispatcher = scheme ? agent.compose(authInterceptor(scheme)) : agent
    return {
      async close() {
        await outer.close()
        if (!outer.dispatcher) await agent.destroy()
      },
      async send(call) {
        const { url, method, headers, body, signal, timeout, init } = call
        if (way === 'fetch') {
          return (undici.fetch as unknown as Fetch)(
            ...argumentsOf(call, { dispatcher }, undici.Request as never),
          )
        }
        const limits =
          timeout === undefined ? {} : { headersTimeout: timeout, bodyTimeout: timeout }
        const own = { ...init, ...given({ method, headers, signal }), ...limits, dispatcher }
        const whole = { ...own, ...given({ body }) } as unknown as { method: 'GET' }
        const target = url as string
        if (way === 'request') return (await undici.request(target, whole)).body
        if (way === 'stream') {
          const output = new PassThrough()
          output.resume()
          return undici.stream(target, whole, () => output)
        }
        return piped(
          undici.pipeline(target, own as never, ({ body: read }) => read),
          body,
        )
      },
    }
  }
}

/** Writes a body into a pipeline, and resolves with the pipeline once there is something to read. */
async function piped(duplex: import('node:stream').Duplex, body: unknown): Promise<unknown> {
  const settled = Promise.race([once(duplex, 'readable'), once(duplex, 'end')])
  if (body instanceof Readable) {
    // As `stream.pipeline` does it.
    body.once('error', (error) => duplex.destroy(error))
    duplex.once('close', () => body.destroy())
    if (body.errored) duplex.destroy(body.errored)
    else body.pipe(duplex)
  } else if (typeof body === 'string' || body instanceof Uint8Array) duplex.end(body)
  else duplex.end()
  await settled
  return duplex
}

function openApiClient({ scheme, options, transport }: ClientSetup): OddClient {
  const { dispatcher, close } = dispatcherOf(undici7, transport)
  const client = createClient<Record<string, never>>({
    ...(scheme && authOpenApi(scheme, options)),
  })
  return {
    close,
    async send(call) {
      const { url, method, headers, body, init } = call
      const own = {
        ...init,
        ...given({ headers, body, signal: endOf(call) }),
        ...(!call.withoutDuplex && { duplex: 'half' }),
        ...(dispatcher && { dispatcher }),
        parseAs: 'stream',
        bodySerializer: (value: unknown) => value,
      }
      const request = client.request as (...all: unknown[]) => Promise<{ response: Response }>
      return (await request(method, url, own)).response
    },
  }
}

/** Returns the arguments of `fetch` for a call. */
function argumentsOf(
  call: OddCall,
  more: object,
  OwnRequest: typeof Request,
): [input: string, init: RequestInit] {
  const { url, method, headers, body, init, asRequest, withoutDuplex, isFrozen } = call
  const signal = endOf(call)
  const own = Object.defineProperties(
    Object.create(Object.getPrototypeOf(init)) as object,
    Object.getOwnPropertyDescriptors(init),
  )
  Object.assign(own, given({ ...more, method, headers, body, signal }))
  if (body !== undefined && !withoutDuplex) Object.assign(own, { duplex: 'half' })
  if (isFrozen) Object.freeze(own)
  if (asRequest) return [new OwnRequest(url as string, own) as unknown as string, {}]
  return [url as string, own]
}

/** Returns the signal of a call, or that of its timeout, where a client has none of its own. */
function endOf({ signal, timeout }: OddCall): unknown {
  return signal === undefined && timeout === 150 ? AbortSignal.timeout(timeout) : signal
}

/** Leaves out what is not there. */
function given(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
}

/** Makes a dispatcher of the caller's own, which may be a bad one. */
function dispatcherOf(
  { Agent: DispatcherAgent }: Undici,
  transport: ClientSetup['transport'],
): { dispatcher: Dispatcher | undefined; close: () => Promise<void> } {
  if (transport === 'default') return { dispatcher: undefined, close: () => Promise.resolve() }
  const connect =
    transport === 'failing'
      ? (_: unknown, callback: (error: Error, socket: null) => void) =>
          callback(new Error('no connection'), null)
      : transport === 'stuck'
        ? () => {}
        : undefined
  const agent = new DispatcherAgent(connect ? { connect: connect as never } : {}) as Dispatcher
  if (transport === 'destroyed') void agent.destroy()
  const dispatch = agent.dispatch.bind(agent)
  agent.dispatch = (options, handler) => {
    if (transport === 'throwing') throw new Error('it takes nothing')
    return dispatch({ ...options, headers: guarded(options.headers) }, handler)
  }
  return { dispatcher: agent, close: () => agent.destroy() }
}

function guarded(
  headers: Dispatcher.DispatchOptions['headers'],
): NonNullable<Dispatcher.DispatchOptions['headers']> {
  const own = [guardHeader, 'guard']
  if (Array.isArray(headers)) return [...headers, ...own]
  if (headers && Symbol.iterator in headers) return [...headers, own].flat() as string[]
  return { ...(headers as Record<string, string>), [guardHeader]: 'guard' }
}

/** Makes an agent of the caller's own, which may be a bad one. */
function agentOf(transport: ClientSetup['transport']): {
  agent: HttpAgent | undefined
  close: () => Promise<void>
} {
  if (transport === 'default') return { agent: undefined, close: () => Promise.resolve() }
  const agent = new Agent({ keepAlive: true })
  const own = agent as unknown as Record<string, (...all: unknown[]) => unknown>
  const add = own['addRequest']?.bind(agent)
  own['addRequest'] = (request, ...rest) => {
    if (transport === 'throwing') throw new Error('it takes nothing')
    ;(request as import('node:http').ClientRequest).setHeader(guardHeader, 'guard')
    return add?.(request, ...rest)
  }
  const fail = (): never => {
    throw new Error('no connection')
  }
  if (transport === 'failing') own['createConnection'] = fail
  if (transport === 'stuck') own['createConnection'] = () => undefined
  if (transport === 'destroyed') agent.destroy()
  return { agent, close: () => Promise.resolve(agent.destroy()) }
}
