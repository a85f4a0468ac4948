import { authOpenApi } from '@svc/auth-hooks/openapi-fetch'
import createClient from 'openapi-fetch'
import type { Client } from './client.ts'
import { answerOf, fetchTakes, pooledFetch, requestInit } from './fetch.ts'

type Verb = 'get' | 'head' | 'post' | 'put' | 'patch' | 'delete' | 'options'
type Operation = { requestBody?: { content: { 'text/plain': unknown } }; responses: object }
type Paths = Record<string, Record<Verb, Operation>>

/** openapi-fetch. */
export const openApiClients: readonly Client[] = [
  {
    name: 'openapi-fetch',
    adapter: 'authOpenApi',
    takes: fetchTakes,
    open(auth) {
      const { fetch, close } = pooledFetch()
      const api = createClient<Paths>(
        auth ? { ...authOpenApi(auth.scheme, { ...auth.options, fetch }) } : { fetch },
      )
      return {
        close,
        async send(call) {
          const { origin, pathname, search } = new URL(call.url)
          const { method, headers, ...init } = requestInit(call)
          const verb = String(method).toLowerCase() as Verb
          const { response } = await api.request(verb, pathname + search, {
            ...(init as object),
            baseUrl: origin,
            parseAs: 'stream',
            // It takes every body for JSON, unless it is told otherwise.
            bodySerializer: (body: unknown) => body as string,
            headers: { 'content-type': null, ...(headers as Record<string, string>) },
          })
          return answerOf(response)
        },
      }
    },
  },
]
