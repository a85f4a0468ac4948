import { authFetch } from '@svc/auth-hooks'
import { type ClientUnderTest, NotPossible } from '../client.ts'
import { responseOf } from '../response.ts'
import { bareRequestLimits, hiddenDispatcherLimits } from './bare-requests.ts'
import { innerFetch } from './inner-fetch.ts'
import { requestInit, withJsonBody, withTimeout } from './request-init.ts'

/** The `fetch` of the runtime. */
export const fetchClient: ClientUnderTest = nodeFetchClient()

/** The `fetch` of the runtime, given a `Request`. */
export const fetchRequestClient: ClientUnderTest = {
  ...nodeFetchClient('Request'),
  refuses: { ...bareRequestLimits.refuses, ...hiddenDispatcherLimits.refuses },
  cannot: { ...bareRequestLimits.cannot, ...hiddenDispatcherLimits.cannot },
}

function nodeFetchClient(way?: 'Request'): ClientUnderTest {
  return {
    name: 'fetch',
    ...(way && { way }),
    version: `Node ${process.versions.node.split('.')[0]}`,
    adapter: 'authFetch',
    connect(scheme, settings) {
      const { fetch: inner, dispatcherOption, close } = innerFetch(settings)
      const fetch = authFetch(scheme, { ...settings.options, fetch: inner })
      return {
        shown: fetch,
        close,
        async send(call) {
          if (call.hook) throw new NotPossible('it has no hooks')
          if (call.retries) throw new NotPossible('it does not retry')
          const { url } = call
          const init = {
            ...requestInit(withJsonBody(call)),
            ...withTimeout(call),
            ...dispatcherOption,
          }
          return responseOf(await (way ? fetch(new Request(url, init)) : fetch(url, init)))
        },
      }
    },
  }
}
