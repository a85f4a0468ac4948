/* oxlint-disable typescript/no-unsafe-type-assertion -- odd values are given where the types of the clients allow none */
import { once } from 'node:events'
import { authGot } from '@svc/auth-hooks/got'
import got from 'got'
import got14 from 'got14'
import got15 from 'got15'
import { agentOf } from './agent.ts'
import { given } from './arguments.ts'
import type { OpenClient } from './client.ts'

/** got 14 to 16. */
export const openClients: Readonly<Record<string, OpenClient>> = {
  got16: gotClient(got, false),
  got15: gotClient(got15, false),
  got14: gotClient(got14, false),
  'got16-stream': gotClient(got, true),
  'got14-stream': gotClient(got14, true),
}

function gotClient(library: unknown, isStream: boolean): OpenClient {
  const copy = library as typeof got
  return ({ scheme, options, transport }) => {
    const { agent, close } = agentOf(transport)
    const api = copy.extend(
      { retry: { limit: 0 }, throwHttpErrors: false, ...(agent && { agent: { http: agent } }) },
      ...(scheme ? [authGot(scheme, options)] : []),
    )
    return {
      close,
      async send({ url, method, headers, body, signal, timeout }) {
        const limits = timeout === undefined ? {} : { timeout: { request: timeout } }
        const own = { ...given({ method, headers, body, signal }), ...limits }
        if (!isStream) return (await api(url as string, own as object)).rawBody
        const stream = api.stream(url as string, own as object)
        // Of the upload, which others than got destroy.
        if (body === undefined && !['GET', 'HEAD', undefined].includes(method as string))
          stream.end()
        // As everybody who has a stream does.
        stream.on('error', () => {})
        await once(stream, 'response')
        return stream
      },
    }
  }
}
