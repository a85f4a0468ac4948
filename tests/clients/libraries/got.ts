import { once } from 'node:events'
import { nodeStream } from './node-stream.ts'
import { authGot } from '@svc/auth-hooks/got'
import got, { type Response as GotResponse } from 'got'
import got14 from 'got14'
import got15 from 'got15'
import {
  type Body,
  type ClientCall,
  type ClientResponse,
  type ClientUnderTest,
  NotPossible,
  redirectOptions,
} from '../client.ts'
import { wholeResponse } from '../response.ts'
import { versionOf } from '../version-of.ts'

/** got 16. */
export const got16Client: ClientUnderTest = gotClient(got, versionOf('got'))

/** The majors before it, which take the same options here. */
export const olderGotClients: readonly ClientUnderTest[] = [
  // oxlint-disable typescript/no-unsafe-type-assertion -- only the types of the three differ
  gotClient(got15 as unknown as typeof got, versionOf('got15')),
  gotClient(got14 as unknown as typeof got, versionOf('got14')),
  // oxlint-enable
]

function gotClient(library: typeof got, version: string): ClientUnderTest {
  return {
    name: 'got',
    version,
    adapter: 'authGot',
    connect(scheme, { options, ca, guard }) {
      const tls = ca === undefined ? {} : { http2: true, https: { certificateAuthority: ca } }
      // As `fetch` does it; left alone, got sends a POST on after a 302.
      const agent = guard && { agent: { http: guard.agent } }
      const api = library.extend(
        { methodRewriting: true, ...tls, ...agent },
        authGot(scheme, redirectOptions(options)),
      )
      return {
        shown: api,
        async send(call) {
          if (call.streamed) return streamedResponse(api.stream(call.url, optionsOf(call)))
          const response = await api(call.url, { ...optionsOf(call), responseType: 'text' })
          return wholeResponse(response.statusCode, response.body, response)
        },
      }
    },
  }
}

function optionsOf(call: ClientCall) {
  const { method, headers, body, json, signal, timeoutMs, retries, hook } = call
  return {
    method,
    ...(headers && { headers }),
    ...(json && { json }),
    ...(body !== undefined && bodyOption(body)),
    ...(signal && { signal }),
    ...(timeoutMs !== undefined && { timeout: { request: timeoutMs } }),
    ...(retries !== undefined && {
      retry: {
        limit: retries,
        methods: [method],
        calculateDelay: ({ computedValue }: { computedValue: number }) =>
          Math.min(computedValue, 1),
      },
    }),
    hooks: {
      beforeRequest: [
        (options: { headers: Record<string, string | string[] | undefined> }) => {
          Object.assign(options.headers, hook?.())
        },
      ],
    },
  }
}

function bodyOption(body: Body) {
  if (body instanceof URLSearchParams) return { form: Object.fromEntries(body) }
  if (body instanceof ReadableStream) return { body: nodeStream(body) }
  if (body instanceof ArrayBuffer) throw new NotPossible('it does not accept an ArrayBuffer')
  if (body instanceof Blob) throw new NotPossible('it does not accept a Blob')
  return { body }
}

async function streamedResponse(stream: ReturnType<typeof got.stream>): Promise<ClientResponse> {
  const [response]: GotResponse[] = await once(stream, 'response')
  return {
    status: response?.statusCode ?? 0,
    text: async () => Buffer.concat(await stream.toArray()).toString(),
    chunks: () => stream,
    shown: response,
  }
}
