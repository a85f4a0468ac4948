import { authFetch } from '@svc/auth-hooks'
import { authFetch as lightFetch } from '@svc/auth-hooks/light'
import type { Fetch } from '@svc/types'
import { Agent } from 'undici7'
import { type Case, isStream } from '../case.ts'
import type { Answer, Call, Client } from './client.ts'

/** The `fetch` of Node, given a URL or a `Request`. */
export const fetchClients: readonly Client[] = [
  {
    name: 'fetch',
    adapter: 'authFetch',
    takes: fetchTakes,
    open(auth) {
      const { fetch: inner, close } = pooledFetch()
      const send = auth ? authFetch(auth.scheme, { ...auth.options, fetch: inner }) : inner
      return { close, send: async (call) => answerOf(await send(call.url, requestInit(call))) }
    },
  },
  {
    name: 'fetch with a Request',
    adapter: 'authFetch',
    takes: fetchTakes,
    open(auth) {
      const { fetch: inner, close } = pooledFetch()
      const options = { rebuildRequests: true, fetch: inner }
      const send = auth ? authFetch(auth.scheme, { ...auth.options, ...options }) : inner
      return {
        close,
        send: async (call) => answerOf(await send(new Request(call.url, requestInit(call)))),
      }
    },
  },
  {
    name: 'fetch, light',
    adapter: 'authFetch',
    takes: lightTakes,
    open(auth) {
      const { fetch: inner, close } = pooledFetch()
      const send = auth ? lightFetch(auth.scheme, { fetch: inner }) : inner
      return { close, send: async (call) => answerOf(await send(call.url, requestInit(call))) }
    },
  },
]

/** It follows no redirect, and has neither streams nor forms. */
function lightTakes(one: Case): boolean {
  const isTaken = !isStream(one) && one.body !== 'FormData'
  return fetchTakes(one) && isTaken && (one.redirect === 0 || one.mode === 'manual')
}

/** A `fetch` with one connection for each origin. */
export function pooledFetch(): { readonly fetch: Fetch; readonly close: () => Promise<void> } {
  const dispatcher = new Agent({ connections: 1 })
  return {
    // `dispatcher` is known to the types of Node alone, and there to those of its own undici.
    fetch: (input, init) => fetch(input, { ...init, dispatcher } as RequestInit),
    close: () => dispatcher.destroy(),
  }
}

/** No `fetch` has a body for GET and HEAD, nor a limit. */
export function fetchTakes({ method, body, limit }: Case): boolean {
  return (body === 'none' || (method !== 'GET' && method !== 'HEAD')) && limit === 'none'
}

/** The part of a call that `fetch` takes, and the clients that hand their options on to it. */
export function requestInit({ method, headers, body, one }: Call): RequestInit {
  const init = { method, headers: { ...headers }, redirect: one.mode, duplex: 'half' as const }
  return body === undefined ? init : { ...init, body: body as NonNullable<RequestInit['body']> }
}

/** Reads a response of `fetch` to its end. */
export async function answerOf(response: Response): Promise<Answer> {
  const { status, statusText, headers, type, url, redirected } = response
  const head = { status, headers: [...headers], shown: { statusText, type, url, redirected } }
  try {
    return { ...head, body: await response.text() }
  } catch (bodyError) {
    return { ...head, body: '', bodyError }
  }
}
