import type { Authorization, OutgoingBody } from '@svc/types'
import { platform } from '#axios-platform'
import type { AxiosResponse, InternalAxiosRequestConfig } from 'axios'
import type { SerializedBody } from '../kernel/body.ts'
import { drain } from '../kernel/drain.ts'
import type { Transport } from '../kernel/exchange.ts'
import { contentLength, OutgoingHeaders } from '../kernel/headers.ts'
import type { RedirectedRequest, RedirectResponse } from '../kernel/redirect.ts'
import { toUploadStream } from '../kernel/upload.ts'
import { assertAsciiHead } from '../node/client-request.ts'
import type { AdapterName, AxiosLibrary, InnerAdapter } from './library.ts'
import { type AxiosRequest, isNodeStream, suppressedHeaders } from './request.ts'
import { discardData, headOf, redaction } from './response.ts'

/** An answer to one attempt. */
export interface AxiosAnswer {
  readonly head: RedirectResponse
  /** The answer as the configuration asks for it; `ended` is told when its body is over. */
  complete(ended: () => void): Promise<AxiosResponse>
  discard(): void
}

/** An adapter of axios as a client. */
export interface AxiosTransport extends Transport<AxiosRequest, AxiosAnswer> {
  /** Whether there was an attempt. */
  readonly hasSent: boolean
}

/** Makes an adapter of axios a client for one call. */
export function axiosTransport(
  axios: AxiosLibrary,
  adapter: InnerAdapter,
  config: InternalAxiosRequestConfig,
): AxiosTransport {
  let last: RedirectResponse | undefined
  let hasSent = false
  return {
    get hasSent() {
      return hasSent
    },
    async send(request, authorization) {
      hasSent = true
      const upload = await openUpload(
        request.body,
        authorization?.body,
        adapter.name,
        request.signal,
      )
      try {
        const answer = await send(axios, adapter, config, request, authorization, upload)
        last = answer.head
        upload.answered()
        return answer
      } catch (error) {
        const failure = upload.failure(error)
        // Of a stream of the caller's axios makes an error of its own.
        throw authorization?.body ? failure : error
      }
    },
    responseHead: ({ head }) => head,
    discard: (answer) => answer.discard(),
    redirected: (request, changes) => redirected(config, request, last, changes),
  }
}

async function send(
  axios: AxiosLibrary,
  adapter: InnerAdapter,
  config: InternalAxiosRequestConfig,
  request: AxiosRequest,
  authorization: Authorization | undefined,
  upload: AxiosUpload,
): Promise<AxiosAnswer> {
  const body = authorization?.body ?? request.body
  const isSized = body?.size !== undefined
  const headers = request.headers.with([
    ...(authorization?.headers ?? []),
    // The caller's own length and framing are those of what was serialised or wrapped.
    ...(body && (isSized || authorization?.body) ? [contentLength(body)] : []),
    ...(isSized ? [['transfer-encoding', null] as const] : []),
  ])

  const { url, signal } = request
  if (adapter.name === 'http') assertAsciiHead(headers)
  const interception = platform?.intercept(config.transport, url.href)
  const attempt = attemptOf(config, {
    method: request.method.toLowerCase(),
    url: authorization?.url ?? url.href,
    headers: new axios.AxiosHeaders({
      ...suppressedHeaders(config.headers),
      ...headers.toRecord(),
    }),
    data: upload.data,
    fetchOptions: { ...config.fetchOptions, redirect: 'manual' },
    ...(signal && { signal: withOwnReason(signal) }),
    ...(interception && { transport: interception.transport }),
  })
  const visible = redaction(config, attempt, request)
  const settled = adapter.for(config)(attempt).finally(visible.settled)
  const settledAnswer = settled.then((response): AxiosAnswer => ({
    head: headOf(response),
    complete: async (ended) => visible.response(response, ended),
    discard() {
      discardData(response.data)
      upload.release()
    },
  }))
  const heldAnswer = interception?.held.then((held): AxiosAnswer => ({
    head: held,
    async complete(ended) {
      held.deliver()
      try {
        return visible.response(await settled, ended)
      } catch (error) {
        throw visible.error(error)
      }
    },
    discard: () =>
      void drain(held)
        .then(upload.release)
        .then(() => held.release()),
  }))
  try {
    return await (heldAnswer ? Promise.race([heldAnswer, settledAnswer]) : settledAnswer)
  } catch (error) {
    throw visible.error(error)
  }
}

/** A configuration for one attempt: nothing in it changes the request once more. */
function attemptOf(
  config: InternalAxiosRequestConfig,
  changes: InternalAxiosRequestConfig,
): InternalAxiosRequestConfig {
  const attempt = { ...config, ...changes, maxRedirects: 0, validateStatus: null }
  // They are in the URL, the headers and the signal now.
  delete attempt.baseURL
  delete attempt.params
  delete attempt.auth
  delete attempt.cancelToken
  return attempt
}

/** The request to the target of a redirect, with what the configuration says of redirects. */
function redirected(
  config: InternalAxiosRequestConfig,
  request: AxiosRequest,
  answer: RedirectResponse | undefined,
  { keepsBody, ...changes }: RedirectedRequest,
): AxiosRequest {
  const { method, url } = changes
  const sensitive = new Set(config.sensitiveHeaders?.map((name) => name.toLowerCase()))
  const crossOrigin = url.origin !== request.url.origin
  let headers = crossOrigin
    ? changes.headers.without((name) => sensitive.has(name))
    : changes.headers
  if (config.beforeRedirect && answer) {
    const { href, protocol, hostname, port } = url
    const path = url.pathname + url.search
    const options = { href, protocol, hostname, port, path, method, headers: headers.toRecord() }
    config.beforeRedirect(
      options,
      // oxlint-disable-next-line typescript/no-unsafe-enum-assignment -- a status is just a number
      { headers: Object.fromEntries(answer.headers), statusCode: answer.status },
      { headers: request.headers.toRecord(), url: request.url.href, method: request.method },
    )
    headers = OutgoingHeaders.read(options.headers)
  }
  return { ...request, ...changes, headers, body: keepsBody ? request.body : undefined }
}

/** A body on its way through an adapter of axios. */
export interface AxiosUpload {
  /** What the adapter is given as `data`. */
  readonly data: unknown
  /** Is told that there is an answer. */
  readonly answered: () => void
  /** Lets go of a body that is not wanted any more. */
  readonly release: () => void
  /** Lets go of a body that was not sent, and gives its own failure, if it had one. */
  readonly failure: (reason: unknown) => unknown
}

/** Opens a body in a form that the adapter sends byte by byte, and encodes no more. */
export async function openUpload(
  body: SerializedBody | undefined,
  wrapped: OutgoingBody | undefined,
  adapterName: AdapterName,
  signal: AbortSignal | undefined,
): Promise<AxiosUpload> {
  const given = wrapped ?? body
  if (!given) return settledUpload(undefined)
  if (given.inMemory) {
    const bytes = await given.bytes()
    return settledUpload(platform ? platform.toBuffer(bytes) : bytes)
  }
  const asWeb = !platform || adapterName === 'fetch'
  const isBlob = !wrapped && body?.replayable
  if (isBlob && asWeb) return settledUpload(body.source)

  const opened = toUploadStream(given, signal)
  const data = asWeb ? opened.stream : platform.toNodeStream(opened.stream)
  const failure = (reason: unknown): unknown => {
    try {
      return opened.fail(reason)
    } catch (error) {
      return error
    }
  }
  return {
    data,
    answered: opened.answered,
    // A stream of Node's ends its source, and with it the request that it is piped to.
    release: () => void ('destroy' in data ? data.destroy?.() : failure(undefined)),
    failure,
  }
}

/** Lets go of a stream of the caller's that was never opened. */
export function releaseUnsent(data: unknown): void {
  if (isNodeStream(data)) data.destroy?.()
  else if (data instanceof ReadableStream && !data.locked) data.cancel().catch(() => {})
}

function settledUpload(data: unknown): AxiosUpload {
  return { data, answered: () => {}, release: () => {}, failure: (reason) => reason }
}

/**
 * A signal that is aborted with a copy of the reason. axios writes the request onto an error of its
 * own that it finds there, and the caller may hold that error already.
 */
export function withOwnReason(signal: AbortSignal): AbortSignal {
  const controller = new AbortController()
  const abort = (): void => controller.abort(copyOf(signal.reason))
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort, { once: true })
  return controller.signal
}

function copyOf(reason: unknown): unknown {
  if (!(reason instanceof Error) || !('isAxiosError' in reason)) return reason
  const copy = Object.defineProperties(new Error(), Object.getOwnPropertyDescriptors(reason))
  return Object.setPrototypeOf(copy, Object.getPrototypeOf(reason))
}
