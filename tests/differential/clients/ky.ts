import { authKy, kyAuthHooks } from '@svc/auth-hooks'
import ky from 'ky'
import ky1 from 'ky1'
import type { Auth, Client } from './client.ts'
import { answerOf, fetchTakes, pooledFetch, requestInit } from './fetch.ts'

type Ky = typeof ky

/** Both majors of ky, through `authKy` and through `kyAuthHooks`. */
export const kyClients: readonly Client[] = [
  ...kysOf('ky 2', ky),
  // What is used here is alike in both majors.
  ...kysOf('ky 1', ky1 as unknown as Ky),
]

function kysOf(name: string, library: Ky): Client[] {
  return [
    kyClient(name, 'authKy', library, ({ scheme, options }, fetch) =>
      authKy(scheme, { ...options, fetch }),
    ),
    kyClient(name, 'kyAuthHooks', library, ({ scheme }, fetch) => ({
      fetch,
      hooks: kyAuthHooks(scheme, { fetch }),
    })),
  ]
}

function kyClient(
  name: string,
  adapter: string,
  library: Ky,
  optionsOf: (auth: Auth, fetch: ReturnType<typeof pooledFetch>['fetch']) => object,
): Client {
  return {
    name,
    adapter,
    // It follows no redirect with hooks alone, and so has no option for that.
    takes: (one) => fetchTakes(one) && !(adapter === 'kyAuthHooks' && one.target === 'allowed'),
    open(auth) {
      const { fetch, close } = pooledFetch()
      const own = library.create({ retry: 0 })
      const api = own.extend(auth ? optionsOf(auth, fetch) : { fetch })
      return {
        close,
        send: async (call) => answerOf(await api(call.url, requestInit(call) as object)),
      }
    },
  }
}
