import { text } from 'node:stream/consumers'
import { authInterceptor } from '@svc/auth-hooks/undici'
import * as undici8 from 'undici'
import type { Dispatcher } from 'undici'
import * as undici7 from 'undici7'
import type { FormClass } from '../bodies.ts'
import type { Case } from '../case.ts'
import { type Answer, type Auth, type Call, type Client, entries } from './client.ts'
import { answerOf, fetchTakes, requestInit } from './fetch.ts'

type Undici = typeof undici8

/** `request` and `fetch` of both majors, with a dispatcher. */
export const undiciClients: readonly Client[] = [
  ...clientsOf('undici 8', undici8),
  // What is used here is alike in both majors.
  ...clientsOf('undici 7', undici7 as unknown as Undici),
]

function clientsOf(name: string, library: Undici): Client[] {
  // It knows its own forms alone.
  const common = { adapter: 'authInterceptor', Form: library.FormData as unknown as FormClass }
  return [
    {
      ...common,
      name: `${name} request`,
      takes: requestTakes,
      open(auth) {
        const agent = new library.Agent({ connections: 1 })
        return {
          send: (call) => request(library, authorized(agent, auth), call),
          close: () => agent.destroy(),
        }
      },
    },
    {
      ...common,
      name: `${name} fetch`,
      takes: (one) => fetchTakes(one) && one.target !== 'allowed',
      open(auth) {
        const agent = new library.Agent({ connections: 1 })
        const dispatcher = authorized(agent, auth)
        // The same as that of the web platform, which its types describe apart.
        const fetch = library.fetch as unknown as (url: string, init: object) => Promise<Response>
        return {
          send: async (call) =>
            answerOf(await fetch(call.url, { ...requestInit(call), dispatcher })),
          close: () => agent.destroy(),
        }
      },
    },
  ]
}

function authorized(agent: Dispatcher, auth: Auth | undefined): Dispatcher {
  return auth ? agent.compose(authInterceptor(auth.scheme)) : agent
}

/** It has no option for redirects: an interceptor of undici's own follows them. */
function requestTakes({ mode, target, limit, body }: Case): boolean {
  const hasOption = mode !== 'error' && target !== 'allowed' && limit === 'none'
  return hasOption && body !== 'URLSearchParams'
}

async function request(undici: Undici, dispatcher: Dispatcher, call: Call): Promise<Answer> {
  const { url, method, headers, body = null, one } = call
  const following = dispatcher.compose(undici.interceptors.redirect({ maxRedirections: 20 }))
  const response = await undici.request(url, {
    method,
    headers: { ...headers },
    // It takes more than its types know.
    body: body as string,
    dispatcher: one.mode === 'follow' ? following : dispatcher,
  })
  const head = { status: response.statusCode, headers: entries(response.headers) }
  try {
    const bytes = await text(response.body)
    return { ...head, body: Buffer.from(bytes).toString('latin1') }
  } catch (bodyError) {
    return { ...head, body: '', bodyError }
  }
}
