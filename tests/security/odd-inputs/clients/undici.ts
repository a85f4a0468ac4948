/* oxlint-disable typescript/no-unsafe-type-assertion -- odd values are given where the types of the clients allow none */
import { once } from 'node:events'
import { type Duplex, PassThrough, Readable } from 'node:stream'
import { authInterceptor } from '@svc/auth-hooks/undici'
import type { Fetch } from '@svc/types'
import * as undici8 from 'undici'
import * as undici7 from 'undici7'
import { argumentsOf, given } from './arguments.ts'
import type { OpenClient } from './client.ts'
import { dispatcherOf, type Undici } from './dispatcher.ts'

/** undici 8 and 7, each in its four ways. */
export const openClients: Readonly<Record<string, OpenClient>> = {
  'undici8-request': undiciClient(undici8, 'request'),
  'undici8-stream': undiciClient(undici8, 'stream'),
  'undici8-pipeline': undiciClient(undici8, 'pipeline'),
  'undici8-fetch': undiciClient(undici8, 'fetch'),
  'undici7-request': undiciClient(undici7, 'request'),
  'undici7-stream': undiciClient(undici7, 'stream'),
  'undici7-pipeline': undiciClient(undici7, 'pipeline'),
  'undici7-fetch': undiciClient(undici7, 'fetch'),
}

function undiciClient(
  library: Undici,
  way: 'request' | 'stream' | 'pipeline' | 'fetch',
): OpenClient {
  const undici = library as typeof undici8
  return ({ scheme, transport }) => {
    const outer = dispatcherOf(undici, transport)
    const agent = outer.dispatcher ?? new undici.Agent()
    const dispatcher = scheme ? agent.compose(authInterceptor(scheme)) : agent
    return {
      async close() {
        await outer.close()
        if (!outer.dispatcher) await agent.destroy()
      },
      async send(call) {
        const { url, method, headers, body, signal, timeout, init } = call
        if (way === 'fetch') {
          return (undici.fetch as unknown as Fetch)(
            ...argumentsOf(call, { dispatcher }, undici.Request as never),
          )
        }
        const limits =
          timeout === undefined ? {} : { headersTimeout: timeout, bodyTimeout: timeout }
        const own = { ...init, ...given({ method, headers, signal }), ...limits, dispatcher }
        const whole = { ...own, ...given({ body }) } as unknown as { method: 'GET' }
        const target = url as string
        if (way === 'request') return (await undici.request(target, whole)).body
        if (way === 'stream') {
          const output = new PassThrough()
          output.on('error', () => {}).resume()
          return undici.stream(target, whole, () => output)
        }
        return piped(
          undici.pipeline(target, own as never, ({ body: read }) => read),
          body,
        )
      },
    }
  }
}

/** Writes a body into a pipeline, and resolves with the pipeline once there is something to read. */
async function piped(duplex: Duplex, source: unknown): Promise<unknown> {
  // As everybody who has a stream does.
  duplex.on('error', () => {})
  const body = source instanceof ReadableStream ? Readable.fromWeb(source as never) : source
  const settled = Promise.race([once(duplex, 'readable'), once(duplex, 'end')])
  // What cannot be written throws before anybody waits.
  settled.catch(() => {})
  if (body instanceof Readable) {
    // As `stream.pipeline` does it.
    body.once('error', (error) => duplex.destroy(error))
    duplex.once('close', () => body.destroy())
    if (body.errored) duplex.destroy(body.errored)
    else body.pipe(duplex)
  } else if (typeof body === 'string' || body instanceof Uint8Array) duplex.end(body)
  else duplex.end()
  await settled
  return duplex
}
