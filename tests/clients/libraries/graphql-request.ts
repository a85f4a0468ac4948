import { authFetch } from '@svc/auth-hooks'
import { GraphQLClient } from 'graphql-request'
import { type ClientCall, type ClientUnderTest, NotPossible } from '../client.ts'
import { wholeResponse } from '../response.ts'
import { versionOf } from '../version-of.ts'
import { innerFetch } from './inner-fetch.ts'
import { withTimeout } from './request-init.ts'

/** graphql-request, whose `fetch` option takes one. It sends a query and its variables. */
export const graphqlRequestClient: ClientUnderTest = {
  name: 'graphql-request',
  version: versionOf('graphql-request'),
  adapter: 'authFetch',
  connect(scheme, settings) {
    const { fetch: inner, dispatcherOption, close } = innerFetch(settings)
    const fetch = authFetch(scheme, { ...settings.options, fetch: inner })
    return {
      shown: new GraphQLClient('http://127.0.0.1', { fetch }),
      close,
      async send(call) {
        const client = new GraphQLClient(call.url.href, {
          fetch,
          ...dispatcherOption,
          method: methodOf(call),
          ...(call.headers && { headers: call.headers }),
          requestMiddleware: (request) => ({
            ...request,
            headers: { ...Object.fromEntries(new Headers(request.headers)), ...call.hook?.() },
          }),
        })
        const response = await client.rawRequest({
          query: 'query ($body: String) { echo(body: $body) }',
          variables: variablesOf(call),
          ...withTimeout(call),
        })
        return wholeResponse(response.status, JSON.stringify(response.data), response)
      },
    }
  },
}

function methodOf({ method, retries, streamed }: ClientCall): 'GET' | 'POST' {
  if (retries) throw new NotPossible('it does not retry')
  if (streamed) throw new NotPossible('it reads only whole responses')
  if (method === 'GET' || method === 'POST') return method
  throw new NotPossible('it sends only GET and POST')
}

function variablesOf({ body, json }: ClientCall): object {
  if (json) return json
  if (body === undefined || typeof body === 'string') return { body }
  throw new NotPossible('it sends only JSON')
}
