import { authFetch } from '@svc/auth-hooks'
import { up } from 'up-fetch'
import type { ClientUnderTest } from '../client.ts'
import { responseOf } from '../response.ts'
import { versionOf } from '../version-of.ts'
import { innerFetch } from './inner-fetch.ts'
import { requestInit } from './request-init.ts'

/** up-fetch, whose `up` takes a `fetch`. */
export const upFetchClient: ClientUnderTest = {
  name: 'up-fetch',
  version: versionOf('up-fetch'),
  adapter: 'authFetch',
  connect(scheme, { options, ca }) {
    const { fetch, close } = innerFetch(ca)
    const api = up(authFetch(scheme, { ...options, fetch }))
    return {
      shown: api,
      close,
      async send(call) {
        const { json, retries, timeoutMs, hook } = call
        return api(call.url, {
          ...requestInit(call),
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
