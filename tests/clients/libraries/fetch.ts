import { authFetch } from '@svc/auth-hooks'
import { type ClientUnderTest, NotPossible } from '../client.ts'
import { responseOf } from '../response.ts'
import { innerFetch } from './inner-fetch.ts'
import { requestInit, withJsonBody, withTimeout } from './request-init.ts'

/** The `fetch` of the runtime. */
export const fetchClient: ClientUnderTest = {
  name: 'fetch',
  version: `Node ${process.versions.node.split('.')[0]}`,
  adapter: 'authFetch',
  connect(scheme, { options, ca }) {
    const { fetch: inner, close } = innerFetch(ca)
    const fetch = authFetch(scheme, { ...options, fetch: inner })
    return {
      shown: fetch,
      close,
      async send(call) {
        if (call.hook) throw new NotPossible('it has no hooks')
        if (call.retries) throw new NotPossible('it does not retry')
        const init = { ...requestInit(withJsonBody(call)), ...withTimeout(call) }
        return responseOf(await fetch(call.url, init))
      },
    }
  },
}
