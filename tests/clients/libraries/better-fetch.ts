import { createFetch } from '@better-fetch/fetch'
import { authFetch } from '@svc/auth-hooks'
import { type ClientUnderTest, NotPossible } from '../client.ts'
import { wholeResponse } from '../response.ts'
import { versionOf } from '../version-of.ts'
import { innerFetch } from './inner-fetch.ts'
import { requestInit } from './request-init.ts'

const encodesAgain = 'it encodes an encoded path again, and that is what is signed'

/** better-fetch, whose `customFetchImpl` takes a `fetch`. */
export const betterFetchClient: ClientUnderTest = {
  name: 'better-fetch',
  version: versionOf('@better-fetch/fetch'),
  adapter: 'authFetch',
  cannot: {
    'PUT, HEAD, GET and DELETE, at exactly the URL that was signed': encodesAgain,
    'a space, a percent sign and Unicode in a path: the object that was meant': encodesAgain,
    'a `+` in a path, to a service that reads a raw one as a space: the object that was meant':
      encodesAgain,
    'a `%` that begins no escape in a path: the object that was meant': encodesAgain,
    'a path means the same object, encoded or not': encodesAgain,
    'is asked for exactly the URL that was signed': encodesAgain,
  },
  connect(scheme, settings) {
    const { fetch, dispatcherOption, close } = innerFetch(settings)
    const api = createFetch({
      customFetchImpl: authFetch(scheme, { ...settings.options, fetch }),
      throw: true,
    })
    return {
      shown: api,
      close,
      async send(call) {
        const { json, retries, timeoutMs, hook } = call
        if (call.streamed) throw new NotPossible('it reads only whole responses')
        let status = 0
        const data: unknown = await api(call.url.href, {
          ...requestInit(call),
          ...dispatcherOption,
          jsonParser: (text) => text,
          ...(json && { body: json }),
          ...(timeoutMs !== undefined && { timeout: timeoutMs }),
          ...(retries !== undefined && {
            retry: { type: 'linear', attempts: retries, delay: 0 },
          }),
          onRequest({ headers }) {
            for (const [name, value] of Object.entries(hook?.() ?? {})) headers.set(name, value)
          },
          onResponse({ response }) {
            status = response.status
          },
        })
        return wholeResponse(status, String(data), data)
      },
    }
  },
}
