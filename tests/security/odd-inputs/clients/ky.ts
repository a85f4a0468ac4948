/* oxlint-disable typescript/no-unsafe-type-assertion -- odd values are given where the types of the clients allow none */
import { authFetch, authKy, kyAuthHooks } from '@svc/auth-hooks'
import type { AuthScheme } from '@svc/types'
import ky from 'ky'
import ky1 from 'ky1'
import * as undici7 from 'undici7'
import { argumentsOf } from './arguments.ts'
import type { ClientSetup, OpenClient } from './client.ts'
import { dispatcherOf } from './dispatcher.ts'

/** ky 2 and ky 1. */
export const openClients: Readonly<Record<string, OpenClient>> = {
  ky2: kyClient(ky),
  ky1: kyClient(ky1),
  'ky2-hooks': kyClient(ky, (scheme) => ({ hooks: kyAuthHooks(scheme) })),
  'ky1-hooks': kyClient(ky1, (scheme) => ({ hooks: kyAuthHooks(scheme) })),
  'ky2-create': kyClient(ky, (scheme, options) => ({ fetch: authFetch(scheme, options) })),
}

function kyClient(
  library: typeof ky | typeof ky1,
  extension: (scheme: AuthScheme, options: ClientSetup['options']) => object = authKy,
): OpenClient {
  return ({ scheme, options, transport }) => {
    const { dispatcher, close } = dispatcherOf(undici7, transport)
    const api = (library as typeof ky).extend(scheme ? extension(scheme, options) : {})
    return {
      close,
      async send(call) {
        const [input, init] = argumentsOf(call, { dispatcher }, Request)
        const timeout = call.timeout === undefined ? false : call.timeout
        const own = { ...init, timeout, retry: 0, throwHttpErrors: false }
        return api(input, own as Parameters<typeof ky>[1])
      },
    }
  }
}
