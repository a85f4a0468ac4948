import { authFetch } from '@svc/auth-hooks'
import { createFetch } from 'ofetch'
import type { ClientUnderTest } from '../client.ts'
import { responseOf, wholeResponse } from '../response.ts'
import { versionOf } from '../version-of.ts'
import { innerFetch } from './inner-fetch.ts'
import { requestInit } from './request-init.ts'

/** ofetch, whose `createFetch` takes a `fetch`. */
export const ofetchClient: ClientUnderTest = {
  name: 'ofetch',
  version: versionOf('ofetch'),
  adapter: 'authFetch',
  connect(scheme, settings) {
    const { fetch, dispatcherOption, close } = innerFetch(settings)
    const api = createFetch({ fetch: authFetch(scheme, { ...settings.options, fetch }) })
    return {
      shown: api,
      close,
      async send(call) {
        const { json, retries, timeoutMs, hook } = call
        let text = ''
        const response = await api.raw(call.url.href, {
          ...requestInit(call),
          ...dispatcherOption,
          // A stream that it hands out is not read by it.
          ...(call.streamed
            ? { responseType: 'stream' as const }
            : { parseResponse: (body: string) => (text = body) }),
          ...(json && { body: json }),
          ...(retries !== undefined && { retry: retries }),
          ...(timeoutMs !== undefined && { timeout: timeoutMs }),
          onRequest(context) {
            for (const [name, value] of Object.entries(hook?.() ?? {})) {
              context.options.headers.set(name, value)
            }
          },
        })
        return call.streamed ? responseOf(response) : wholeResponse(response.status, text, response)
      },
    }
  },
}
