import { authFetch, authKy, authorizeRequest, kyAuthHooks } from '@svc/auth-hooks'
import { authAxios } from '@svc/auth-hooks/axios'
import { authGot } from '@svc/auth-hooks/got'
import { authFetch as lightFetch } from '@svc/auth-hooks/light'
import { authOpenApi } from '@svc/auth-hooks/openapi-fetch'
import { authInterceptor } from '@svc/auth-hooks/undici'
import type { AuthScheme } from '@svc/types'
import axios from 'axios'
import axios17 from 'axios17'
import got from 'got'
import got14 from 'got14'
import got15 from 'got15'
import ky from 'ky'
import ky1 from 'ky1'
import createClient from 'openapi-fetch'
import * as undici from 'undici'
import * as undici7 from 'undici7'

/** Sends one request through a client, and resolves to the status of its response. */
export type Send = (url: string, init?: SendInit) => Promise<number>

/** The parts of a request that every client takes. */
export interface SendInit {
  readonly method?: 'GET' | 'PUT'
  readonly headers?: Record<string, string>
  readonly body?: unknown
  readonly signal?: AbortSignal
}

// What the tests use is the same in all majors; only the types differ.
const kys = { ky, 'ky 1': ky1 as unknown as typeof ky }
const axiosCopies = { axios, 'axios 1.7': axios17 as unknown as typeof axios }
const gots = {
  got,
  'got 14': got14 as unknown as typeof got,
  'got 15': got15 as unknown as typeof got,
}
const undicis = { 'undici 8': undici, 'undici 7': undici7 as unknown as typeof undici }

function entries<T>(record: Record<string, T>): [name: string, value: T][] {
  return Object.entries(record)
}

/** Every adapter with every client and major that it serves, each with a scheme that it is given. */
export const adapters: [name: string, connect: (scheme: AuthScheme) => Send][] = [
  ['authFetch', (scheme) => fetchSender(authFetch(scheme))],
  ['light authFetch', (scheme) => fetchSender(lightFetch(scheme))],
  [
    'authFetch, a Request',
    (scheme) => {
      const send = authFetch(scheme)
      return async (url, init) => (await send(new Request(url, requestInit(init)))).status
    },
  ],
  [
    'authorizeRequest',
    (scheme) => async (url, init) =>
      (await fetch(await authorizeRequest(scheme, url, requestInit(init)))).status,
  ],
  ...entries(kys).flatMap(([name, client]): [string, (scheme: AuthScheme) => Send][] => {
    const options = { retry: 0, throwHttpErrors: false }
    return [
      [`authKy, ${name}`, (scheme) => kySender(client.extend(options).extend(authKy(scheme)))],
      [
        `kyAuthHooks, ${name}`,
        (scheme) => kySender(client.extend({ ...options, hooks: kyAuthHooks(scheme) })),
      ],
    ]
  }),
  ...entries(axiosCopies).flatMap(([name, copy]) =>
    (['http', 'fetch'] as const).map((adapter): [string, (scheme: AuthScheme) => Send] => [
      `authAxios, ${name} over ${adapter}`,
      (scheme) => {
        const api = copy.create({
          ...authAxios(scheme, { axios: copy, adapter }),
          validateStatus: null,
        })
        return async (url, { body, ...init } = {}) =>
          (await api.request({ url, ...init, data: body })).status
      },
    ]),
  ),
  ...entries(gots).map(([name, client]): [string, (scheme: AuthScheme) => Send] => [
    `authGot, ${name}`,
    (scheme) => {
      const api = client.extend(authGot(scheme) as never)
      const options = { retry: { limit: 0 }, throwHttpErrors: false }
      return async (url, init) =>
        ((await api(url, { ...options, ...(init as object) })) as { statusCode: number }).statusCode
    },
  ]),
  ...entries(undicis).flatMap(([name, library]): [string, (scheme: AuthScheme) => Send][] => {
    const compose = (scheme: AuthScheme) =>
      new library.Agent().compose(authInterceptor(scheme) as never)
    return [
      [
        `authInterceptor, request of ${name}`,
        (scheme) => {
          const dispatcher = compose(scheme)
          return async (url, init) => {
            const response = await library.request(url, { dispatcher, ...(init as object) })
            await response.body.dump()
            return response.statusCode
          }
        },
      ],
      [
        `authInterceptor, fetch of ${name}`,
        (scheme) => {
          const dispatcher = compose(scheme)
          return async (url, init) =>
            (await library.fetch(url, { dispatcher, ...(requestInit(init) as object) })).status
        },
      ],
    ]
  }),
  [
    'authOpenApi',
    (scheme) => async (url, init) => {
      const { origin, pathname } = new URL(url)
      const client = createClient<Record<string, Record<'get' | 'put', object>>>({
        baseUrl: origin,
        ...authOpenApi(scheme),
      })
      const { method = 'GET', ...rest } = requestInit(init)
      const options = { bodySerializer: (body: unknown) => body, parseAs: 'text', ...rest }
      const send = method === 'PUT' ? client.PUT : client.GET
      return (await send(pathname, options as never)).response.status
    },
  ],
]

function requestInit(init: SendInit = {}): RequestInit {
  return { ...(init as RequestInit), ...(init.body !== undefined && { duplex: 'half' as const }) }
}

function fetchSender(send: ReturnType<typeof lightFetch>): Send {
  return async (url, init) => (await send(url, requestInit(init))).status
}

function kySender(api: typeof ky): Send {
  return async (url, init) => (await api(url, requestInit(init) as never)).status
}

/** Returns the errors of a chain, the outermost first. */
export function causes(error: unknown): Error[] {
  const chain: Error[] = []
  for (let link = error; link instanceof Error && !chain.includes(link); link = link.cause) {
    chain.push(link)
  }
  return chain
}
