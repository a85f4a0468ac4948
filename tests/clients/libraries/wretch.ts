import { authFetch } from '@svc/auth-hooks'
import wretch, { type ConfiguredMiddleware } from 'wretch'
import AbortAddon from 'wretch/addons/abort'
import { retry } from 'wretch/middlewares/retry'
import type { ClientCall, ClientUnderTest } from '../client.ts'
import { responseOf } from '../response.ts'
import { versionOf } from '../version-of.ts'
import { innerFetch } from './inner-fetch.ts'
import { requestInit } from './request-init.ts'

/** wretch, whose `fetchPolyfill` takes a `fetch`. */
export const wretchClient: ClientUnderTest = {
  name: 'wretch',
  version: versionOf('wretch'),
  adapter: 'authFetch',
  connect(scheme, settings) {
    const { fetch, dispatcherOption, close } = innerFetch(settings)
    const api = wretch()
      .fetchPolyfill(authFetch(scheme, { ...settings.options, fetch }))
      .addon(AbortAddon())
    return {
      shown: api,
      close,
      async send(call) {
        const { url, json, method, timeoutMs } = call
        const options = { ...requestInit(call), ...dispatcherOption }
        const request = api.url(url.href).middlewares(middlewares(call)).options(options)
        const chain = (json ? request.json(json) : request).fetch(method)
        if (timeoutMs !== undefined) chain.setTimeout(timeoutMs)
        return responseOf(await chain.res())
      },
    }
  },
}

function middlewares({ retries, hook }: ClientCall): ConfiguredMiddleware[] {
  const own: ConfiguredMiddleware = (next) => (url, options) => {
    const headers = Object.fromEntries(new Headers(options.headers))
    return next(url, { ...options, headers: { ...headers, ...hook?.() } })
  }
  return retries === undefined ? [own] : [retry({ maxAttempts: retries, delayTimer: 0 }), own]
}
