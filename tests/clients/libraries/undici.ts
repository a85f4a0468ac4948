import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { authInterceptor } from '@svc/auth-hooks/undici'
import * as undici8 from 'undici'
import type { Dispatcher } from 'undici'
import * as undici7 from 'undici7'
import {
  type ClientCall,
  type ClientResponse,
  type ClientUnderTest,
  NotPossible,
} from '../client.ts'
import { responseOf } from '../response.ts'
import { versionOf } from '../version-of.ts'
import { nodeStream } from './node-stream.ts'
import { requestInit, withJsonBody, withTimeout } from './request-init.ts'

type Undici = typeof undici8
type Send = (undici: Undici, call: ClientCall, dispatcher: Dispatcher) => Promise<ClientResponse>
type Limits = Pick<ClientUnderTest, 'refuses' | 'cannot'>

interface Major {
  readonly undici: Undici
  readonly version: string
}

const undici8Major: Major = { undici: undici8, version: versionOf('undici') }
const undici7Major: Major = {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only the types of the two differ
  undici: undici7 as unknown as Undici,
  version: versionOf('undici7'),
}

// No dispatch says that it is a redirect, so that none can be followed without what was added.
const staysWithin = { 'to another origin, if allowed: without any credential': 'ERR_AUTH_ORIGIN' }
// An interceptor outside sees what `fetch` has already read of its body.
const keepsNoBody = { 'each of its retries gets a fresh signature': 'ERR_AUTH_BODY' }

const notSentTwice = [
  'a refused token: one more login, and the body is sent again',
  'ten calls with a refused token: one more login',
  'a persistent 401 reaches the caller, after one more login',
  'a wrong clock: signed again, with the time of the service',
  'ten concurrent calls share one challenge, and their bodies are sent whole',
  'a wrong password is sent once, and the error says so to everybody',
  'each of its retries gets a fresh signature',
  'within the origin: signed again, body included',
  'within the origin, with `rebuildRequests`: signed again, body included',
  'from a token path to a signed path: the selector chooses again',
  'to another origin: refused with an error code, nothing is sent there',
  'to another origin with a body, even if allowed: refused with an error code',
  'a refused token over HTTP/2: the body is sent again',
  'is asked for each attempt',
  'is asked for the target of a redirect',
]
// undici 7 takes the pipeline of a GET for a request without a body.
const notSentTwiceBy8 = [
  ...notSentTwice,
  'to another origin, if allowed: without any credential',
  'from https to http: refused with an error code',
]

/** `request` of undici 8. */
export const undiciRequestClient: ClientUnderTest = undiciClient(
  undici8Major,
  'request',
  sendRequest,
  { refuses: staysWithin },
)

/** The other ways to send in undici 8, and undici 7. */
export const moreUndiciClients: readonly ClientUnderTest[] = [
  undiciClient(undici7Major, 'request', sendRequest, { refuses: staysWithin }),
  undiciClient(undici8Major, 'stream', sendStream, { refuses: staysWithin }),
  undiciClient(undici7Major, 'stream', sendStream, { refuses: staysWithin }),
  undiciClient(undici8Major, 'pipeline', sendPipeline, pipelineLimits(notSentTwiceBy8)),
  undiciClient(undici7Major, 'pipeline', sendPipeline, pipelineLimits(notSentTwice)),
  undiciClient(undici8Major, 'fetch', sendFetch, { refuses: { ...staysWithin, ...keepsNoBody } }),
  undiciClient(undici7Major, 'fetch', sendFetch, { refuses: { ...staysWithin, ...keepsNoBody } }),
]

function pipelineLimits(names: readonly string[]): Limits {
  const reason = 'the body of a pipeline is a stream, which is not sent twice'
  return {
    refuses: staysWithin,
    cannot: Object.fromEntries(names.map((name) => [name, reason])),
  }
}

function undiciClient(
  { undici, version }: Major,
  way: string,
  send: Send,
  limits: Limits,
): ClientUnderTest {
  const { Agent, interceptors } = undici
  const redirect = interceptors.redirect({ maxRedirections: 20 })
  // `fetch` does this by itself.
  const outside = way === 'fetch' ? [] : [redirect, interceptors.decompress()]
  return {
    name: 'undici',
    way,
    version,
    adapter: 'authInterceptor',
    ...limits,
    connect(scheme, { ca, guard }) {
      const agent = new Agent(ca === undefined ? {} : { allowH2: true, connect: { ca } })
      const inside = guard ? [guard.interceptor] : []
      const authorized = agent.compose(...inside, authInterceptor(scheme), ...outside)
      return {
        // An agent holds the requests that are under way, as they are sent.
        shown: undefined,
        close: () => agent.destroy(),
        send: (call) => send(undici, call, composed(undici, authorized, call)),
      }
    },
  }
}

/** Adds what others do by options and hooks, and undici by more interceptors outside. */
function composed(
  { interceptors }: Undici,
  agent: Dispatcher,
  { hook, retries }: ClientCall,
): Dispatcher {
  const outside: Dispatcher.DispatcherComposeInterceptor[] = []
  if (retries) {
    const [methods, statusCodes] = [['GET', 'POST'] as const, [503]]
    outside.push(
      interceptors.retry({
        maxRetries: retries,
        methods: [...methods],
        statusCodes,
        minTimeout: 0,
      }),
    )
  }
  if (hook) {
    outside.push((dispatch) => (options, handler) => {
      // As they are given here, by name.
      const given = options.headers as Record<string, string> | undefined
      return dispatch({ ...options, headers: { ...given, ...hook() } }, handler)
    })
  }
  return agent.compose(...outside)
}

async function sendRequest(
  { request }: Undici,
  call: ClientCall,
  dispatcher: Dispatcher,
): Promise<ClientResponse> {
  const response = await request(call.url, { ...optionsOf(call), body: bodyOf(call), dispatcher })
  const { statusCode, body } = response
  return { status: statusCode, text: () => body.text(), chunks: () => body, shown: response }
}

function sendStream(
  { stream }: Undici,
  call: ClientCall,
  dispatcher: Dispatcher,
): Promise<ClientResponse> {
  return new Promise((resolve, reject) => {
    const options = { ...optionsOf(call), body: bodyOf(call), dispatcher }
    stream(call.url, options, (head) => {
      const body = new PassThrough()
      resolve(streamedResponse(head.statusCode, body, head))
      return body
    }).catch(reject)
  })
}

function sendPipeline(
  { pipeline }: Undici,
  call: ClientCall,
  dispatcher: Dispatcher,
): Promise<ClientResponse> {
  return new Promise((resolve, reject) => {
    const body = bodyOf(call)
    const isWritten = body === null || typeof body === 'string' || ArrayBuffer.isView(body)
    if (!isWritten && !(body instanceof Readable)) {
      throw new NotPossible('a pipeline accepts only text and bytes')
    }
    const options = optionsOf(call)
    // A pipeline tells nothing of what will be written, and a store refuses a body of unknown length.
    const size = body instanceof Readable || !body ? undefined : Buffer.byteLength(body)
    const headers = {
      ...(size !== undefined && { 'content-length': `${size}` }),
      ...options.headers,
    }
    const duplex = pipeline(call.url, { ...options, headers, dispatcher }, (head) => {
      resolve(streamedResponse(head.statusCode, duplex, head))
      return head.body
    })
    duplex.once('error', reject)
    if (isWritten) duplex.end(body)
    else body.pipe(duplex)
  })
}

async function sendFetch(
  { fetch, FormData: OwnFormData }: Undici,
  call: ClientCall,
  dispatcher: Dispatcher,
): Promise<ClientResponse> {
  const init = { ...requestInit(withJsonBody(call)), ...withTimeout(call), dispatcher }
  if (init.body instanceof FormData) {
    // It knows its own forms alone.
    const form = new OwnFormData()
    for (const [name, value] of init.body) form.append(name, value)
    Object.assign(init, { body: form })
  }
  // The same as that of the web platform, which its types describe apart.
  const send = fetch as (url: URL, init: object) => Promise<unknown>
  return responseOf((await send(call.url, init)) as Response)
}

function optionsOf(given: ClientCall) {
  const { method, headers, signal, timeoutMs } = withJsonBody(given)
  return {
    method,
    ...(headers && { headers }),
    ...(signal && { signal }),
    ...(timeoutMs !== undefined && { headersTimeout: timeoutMs }),
  }
}

function bodyOf(call: ClientCall): string | Uint8Array | Readable | null {
  const { body = null } = withJsonBody(call)
  const own = body instanceof ReadableStream ? nodeStream(body) : body
  // It takes more than its types know.
  return own as Exclude<typeof own, ArrayBuffer | Blob | FormData | URLSearchParams>
}

function streamedResponse(status: number, body: Readable, shown: unknown): ClientResponse {
  return { status, text: () => text(body), chunks: () => body, shown }
}
