import { createClient } from '@hey-api/client-fetch'
import { authFetch } from '@svc/auth-hooks'
import { type ClientUnderTest, NotPossible } from '../client.ts'
import { responseOf } from '../response.ts'
import { versionOf } from '../version-of.ts'
import { bareRequestLimits, hiddenDispatcherLimits } from './bare-requests.ts'
import { innerFetch } from './inner-fetch.ts'
import { requestInit, withTimeout } from './request-init.ts'

/** The client of hey-api, which gives its `fetch` a bare `Request`. */
export const heyApiClient: ClientUnderTest = {
  name: 'hey-api',
  version: versionOf('@hey-api/client-fetch'),
  adapter: 'authFetch',
  refuses: { ...bareRequestLimits.refuses, ...hiddenDispatcherLimits.refuses },
  cannot: { ...bareRequestLimits.cannot, ...hiddenDispatcherLimits.cannot },
  connect(scheme, settings) {
    const { fetch, dispatcherOption, close } = innerFetch(settings)
    const config = {
      fetch: authFetch(scheme, { ...settings.options, fetch }),
      ...dispatcherOption,
    }
    return {
      shown: createClient(config),
      close,
      async send(call) {
        if (call.retries) throw new NotPossible('it does not retry')
        const { url, headers, json, hook } = call
        const api = createClient({ ...config, baseUrl: url.origin })
        api.interceptors.request.use((request) => {
          for (const [name, value] of Object.entries(hook?.() ?? {}))
            request.headers.set(name, value)
          return request
        })
        const result = await api.request({
          ...requestInit(call),
          ...withTimeout(call),
          method: call.method,
          url: `${url.pathname}${url.search}`,
          parseAs: 'stream',
          // It takes every body for JSON, unless it is told otherwise.
          ...(json ? { body: json } : { bodySerializer: null }),
          headers: { ...(!json && { 'content-type': null }), ...headers },
        })
        return responseOf(result.response, result)
      },
    }
  },
}
