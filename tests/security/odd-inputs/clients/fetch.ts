/* oxlint-disable typescript/no-unsafe-type-assertion -- odd values are given where the types of the clients allow none */
import { authFetch, authorizeRequest } from '@svc/auth-hooks'
import type { Fetch } from '@svc/types'
import * as undici7 from 'undici7'
import { agentOf } from './agent.ts'
import { argumentsOf } from './arguments.ts'
import type { ClientSetup, OddClient, OpenClient } from './client.ts'
import { dispatcherOf, type Undici } from './dispatcher.ts'
import nodeFetch from 'node-fetch'
import * as undici8 from 'undici'

/** `authFetch` over several inner ones, and `authorizeRequest`. */
export const openClients: Readonly<Record<string, OpenClient>> = {
  fetch: fetchClient(undici7, undefined),
  'fetch-undici7': fetchClient(undici7, undici7.fetch as unknown as Fetch),
  'fetch-undici8': fetchClient(undici8, undici8.fetch as unknown as Fetch),
  'fetch-node-fetch': nodeFetchClient,
  'authorize-request': authorizeRequestClient,
}

function fetchClient(undici: Undici, inner: Fetch | undefined): OpenClient {
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
      if (!scheme) return fetch(new Request(...given))
      const [input]: readonly unknown[] = given
      const request = await authorizeRequest(scheme, ...given).catch((error: unknown) => {
        // It stays usable, and its caller's.
        if (input instanceof Request) input.body?.cancel().catch(() => {})
        throw error
      })
      return fetch(request)
    },
  }
}
