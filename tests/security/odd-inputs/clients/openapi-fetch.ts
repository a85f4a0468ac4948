/* oxlint-disable typescript/no-unsafe-type-assertion -- odd values are given where the types of the clients allow none */
import { authOpenApi } from '@svc/auth-hooks/openapi-fetch'
import createClient from 'openapi-fetch'
import * as undici7 from 'undici7'
import { endOf, given } from './arguments.ts'
import type { ClientSetup, OddClient, OpenClient } from './client.ts'
import { dispatcherOf } from './dispatcher.ts'

/** openapi-fetch. */
export const openClients: Readonly<Record<string, OpenClient>> = {
  'openapi-fetch': openApiClient,
}

function openApiClient({ scheme, options, transport }: ClientSetup): OddClient {
  const { dispatcher, close } = dispatcherOf(undici7, transport)
  const client = createClient<Record<string, never>>({
    ...(scheme && authOpenApi(scheme, options)),
  })
  return {
    close,
    async send(call) {
      const { url, method, headers, body, init } = call
      const own = {
        ...init,
        ...given({ headers, body, signal: endOf(call) }),
        ...(!call.withoutDuplex && { duplex: 'half' }),
        ...(dispatcher && { dispatcher }),
        parseAs: 'stream',
        bodySerializer: (value: unknown) => value,
      }
      const request = client.request as (...all: unknown[]) => Promise<{ response: Response }>
      return (await request(method, url, own)).response
    },
  }
}
