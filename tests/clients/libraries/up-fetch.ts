import { authFetch } from '@svc/auth-hooks'
import { up } from 'up-fetch'
import type { ClientUnderTest } from '../client.ts'
import { responseOf } from '../response.ts'
import { versionOf } from '../version-of.ts'
import { innerFetch } from './inner-fetch.ts'
import { requestInit } from './request-init.ts'

/** up-fetch, whose `up` takes a `fetch`, and gives it a `Request` and its options once more. */
export const upFetchClient: ClientUnderTest = {
  name: 'up-fetch',
  version: versionOf('up-fetch'),
  adapter: 'authFetch',
  connect(scheme, settings) {
    const { fetch, dispatcherOption, close } = innerFetch(settings)
    const api = up(authFetch(scheme, { rebuildRequests: true, ...settings.options, fetch }))
    return {
      shown: api,
      close,
      async send(call) {
        const { json, retries, timeoutMs, hook } = call
        return api(call.url, {
          ...requestInit(call),
          ...dispatcherOption,
          ...(json && { body: json }),
          ...(timeoutMs !== undefined && { timeout: timeoutMs }),
          ...(retries !== undefined && { retry: { attempts: retries } }),
          onRequest({ headers }) {
            for (const [name, value] of Object.entries(hook?.() ?? {})) headers.set(name, value)
          },
          parseResponse: (response) => responseOf(response),
        })
      },
    }
  },
}
