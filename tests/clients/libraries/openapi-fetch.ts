import { authOpenApi } from '@svc/auth-hooks/openapi-fetch'
import createClient, { type Middleware } from 'openapi-fetch'
import { type ClientCall, type ClientUnderTest, NotPossible } from '../client.ts'
import { responseOf } from '../response.ts'
import { versionOf } from '../version-of.ts'
import { innerFetch } from './inner-fetch.ts'
import { requestInit, withTimeout } from './request-init.ts'

/** The OpenAPI description of a service that takes anything at any path. */
type Paths = Record<string, Record<'get' | 'put' | 'post' | 'delete' | 'head', Operation>>
interface Operation {
  requestBody?: { content: { 'application/octet-stream': unknown } }
  responses: { 200: { content: { 'application/octet-stream': string } } }
}

/** openapi-fetch through `authOpenApi`. */
export const openapiFetchClient: ClientUnderTest = {
  name: 'openapi-fetch',
  version: versionOf('openapi-fetch'),
  adapter: 'authOpenApi',
  connect(scheme, settings) {
    const { fetch, dispatcherOption, close } = innerFetch(settings)
    const api = createClient<Paths>({
      ...authOpenApi(scheme, { ...settings.options, fetch }),
      ...dispatcherOption,
    })
    return {
      shown: api,
      close,
      async send(call) {
        if (call.retries) throw new NotPossible('it does not retry')
        const { url, method, headers, json } = call
        const verb = method.toLowerCase() as Lowercase<typeof method>
        const { response } = await api.request(verb, `${url.pathname}${url.search}`, {
          ...requestInit(call),
          ...withTimeout(call),
          baseUrl: url.origin,
          parseAs: 'stream',
          middleware: [setHeaders(call)],
          // It takes every body for JSON, unless it is told otherwise.
          ...(json ? { body: json } : { bodySerializer: (body) => body }),
          headers: { ...(!json && { 'content-type': null }), ...headers },
        })
        return responseOf(response)
      },
    }
  },
}

function setHeaders({ hook }: ClientCall): Middleware {
  return {
    onRequest({ request }) {
      for (const [name, value] of Object.entries(hook?.() ?? {})) request.headers.set(name, value)
    },
  }
}
