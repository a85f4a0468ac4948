import { platform } from '#axios-platform'
import type { Authorization, OutgoingBody } from '@svc/types'
import type { AxiosAdapter, AxiosResponse, InternalAxiosRequestConfig } from 'axios'
import type { Transport } from '../kernel/exchange.ts'
import { OutgoingHeaders } from '../kernel/headers.ts'
import type { RedirectedRequest, RedirectResponse } from '../kernel/redirect.ts'
import { guardStream, inspectChunks, releaseStream } from '../kernel/stream.ts'
import { toUploadStream } from '../kernel/upload.ts'
import { chain, isThenable, type MaybePromise } from '../kit/async.ts'
import { AuthError } from '../kit/errors.ts'
import { interceptFetch } from './fetch-interception.ts'
import type { AdapterName, AxiosLibrary, InnerAdapter } from './library.ts'
import { type AxiosRequest, suppressedHeaders } from './request.ts'
import { discardData, redaction, responseHeadOf } from './response.ts'

/** A response to one attempt. */
export interface AdapterResponse {
  readonly head: RedirectResponse
  /** Returns it as the configuration asks for it; `onEnd` is called when its body is over. */
  complete(onEnd: () => void): Promise<AxiosResponse>
  discard(): void
}

/** Makes an adapter of axios a client for one call. */
export function axiosTransport(
  axios: AxiosLibrary,
  adapter: InnerAdapter,
  config: InternalAxiosRequestConfig,
): Transport<AxiosRequest, AdapterResponse> {
  return {
    async send(request, authorization) {
      const opened = openUpload(axios, adapter.name, config, request, authorization?.body)
      const upload = isThenable(opened) ? await opened : opened
      try {
        const response = await callAdapter(axios, adapter, config, request, authorization, upload)
        upload.onResponse()
        return response
      } catch (error) {
        throw upload.end(error)
      }
    },
    responseHead: ({ head }) => head,
    discard: (response) => response.discard(),
    redirected: (request, changes, head) => applyRedirect(config, request, changes, head),
    release({ body }, error) {
      // A form of form-data that is sent as bytes would lose its parts, and be empty in the next call of a retry.
      if (!body?.replayable) releaseStream(config.data, error)
    },
  }
}

function callAdapter(
  axios: AxiosLibrary,
  adapter: InnerAdapter,
  config: InternalAxiosRequestConfig,
  request: AxiosRequest,
  authorization: Authorization | undefined,
  upload: AxiosUpload,
): Promise<AdapterResponse> {
  const wrapped = authorization?.body
  const headers = request.headers.toRecord(authorization?.headers, wrapped)
  const { url, signal } = request
  const redacted = redaction(config, request)
  return new Promise((resolve, reject) => {
    const respond = (head: RedirectResponse): void =>
      resolve({
        head,
        async complete(onEnd) {
          try {
            interception?.accept?.()
            return redacted.response(await settled, onEnd)
          } catch (error) {
            throw redacted.error(upload.end(error))
          }
        },
        discard() {
          settled.then(({ data }) => discardData(data)).catch(() => {})
          interception?.end()
          upload.end(undefined)
        },
      })
    const interception =
      adapter.name === 'fetch'
        ? interceptFetch(axios, config, respond)
        : platform?.intercept(config.transport, url, wrapped ?? request.body, respond)
    const attempt = attemptConfig(config, {
      method: request.method.toLowerCase(),
      url: authorization?.url ?? url.href,
      headers: new axios.AxiosHeaders({ ...suppressedHeaders(config.headers), ...headers }),
      data: upload.data,
      fetchOptions: { ...config.fetchOptions, redirect: 'manual' },
      ...(signal && { signal: withoutReason(signal) }),
      ...interception?.changes,
    })
    const settled = callOnce(adapter.for(attempt), attempt)
    settled.then(
      (response) => respond(responseHeadOf(response)),
      (error: unknown) => {
        interception?.end()
        reject(redacted.error(error))
      },
    )
  })
}

/** Calls an adapter, which may be one of the caller's that throws, or that gives a thenable of a library. */
async function callOnce(
  adapter: AxiosAdapter,
  attempt: InternalAxiosRequestConfig,
): Promise<AxiosResponse> {
  const response = await adapter(attempt)
  guardStream(response.data)
  return response
}

/** Options that are in the URL, the headers and the signal of an attempt, and a name that would be its prototype. */
const resolvedOptions: ReadonlySet<unknown> = /* @__PURE__ */ new Set([
  'baseURL',
  'params',
  'auth',
  'cancelToken',
  '__proto__',
])

/** Returns a configuration for one attempt: nothing in it changes the request once more. */
function attemptConfig(
  config: InternalAxiosRequestConfig,
  changes: InternalAxiosRequestConfig,
): InternalAxiosRequestConfig {
  const attempt: Record<PropertyKey, unknown> = {}
  // One by one: a configuration of axios inherits nothing, and V8 spreads such an object into a slow one.
  for (const name of Reflect.ownKeys(config)) {
    if (!resolvedOptions.has(name)) attempt[name] = Reflect.get(config, name)
  }
  return Object.assign(attempt, changes, { maxRedirects: 0, validateStatus: null })
}

/** Returns the request to the target of a redirect, by the redirect options of the configuration. */
function applyRedirect(
  config: InternalAxiosRequestConfig,
  request: AxiosRequest,
  { keepsBody, ...changes }: RedirectedRequest,
  response: RedirectResponse,
): AxiosRequest {
  const { method, url } = changes
  const sensitive = new Set(config.sensitiveHeaders?.map((name) => name.toLowerCase()))
  const crossOrigin = url.origin !== request.url.origin
  let headers = crossOrigin
    ? changes.headers.without((name) => sensitive.has(name))
    : changes.headers
  if (config.beforeRedirect) {
    const { href, protocol, hostname, port } = url
    const path = url.pathname + url.search
    const options = { href, protocol, hostname, port, path, method, headers: headers.toRecord() }
    config.beforeRedirect(
      options,
      // oxlint-disable-next-line typescript/no-unsafe-enum-assignment -- a status is just a number
      { headers: Object.fromEntries(response.headers), statusCode: response.status },
      { headers: request.headers.toRecord(), url: request.url.href, method: request.method },
    )
    headers = OutgoingHeaders.read(options.headers)
  }
  return { ...request, ...changes, headers, body: keepsBody ? request.body : undefined }
}

/** A body on its way through an adapter of axios. */
interface AxiosUpload {
  /** The body as the adapter takes it. */
  readonly data: unknown
  /** Called once there is a response. */
  readonly onResponse: () => void
  /** Lets go of it, and returns the error of its attempt: the body's own where a scheme or the count of its bytes made it. */
  readonly end: (error: unknown) => unknown
}

/** Opens a body in a form that the adapter sends byte by byte, and encodes no more. */
function openUpload(
  { AxiosError }: AxiosLibrary,
  adapterName: AdapterName,
  config: InternalAxiosRequestConfig,
  { body, signal }: AxiosRequest,
  wrapped: OutgoingBody | undefined,
): MaybePromise<AxiosUpload> {
  const given = wrapped ?? body
  if (!given) return wholeUpload(undefined)
  if (given.inMemory) {
    return chain(given.bytes(), (bytes) => wholeUpload(platform ? platform.toBuffer(bytes) : bytes))
  }
  const node = adapterName === 'fetch' ? undefined : platform
  if (!node && !wrapped && body?.replayable && !body.isPackaged) return wholeUpload(body.source)

  const { maxBodyLength = -1 } = config
  // axios before 1.16 leaves the limit to follow-redirects.
  const limit = (size: number): void => {
    if (size <= maxBodyLength) return
    const message = 'Request body larger than maxBodyLength limit'
    throw new AxiosError(message, AxiosError.ERR_BAD_REQUEST, config)
  }
  const chunks = (): AsyncIterable<Uint8Array> => inspectChunks(given.chunks(), limit)
  const limited = maxBodyLength > -1 ? { ...given, chunks } : given
  const { stream, abort, onResponse } = node
    ? node.openUpload(limited.chunks(), signal)
    : toUploadStream(limited, signal)
  return {
    data: stream,
    onResponse,
    end(error) {
      const own = abort(error)
      // Of a stream of the caller's axios makes an error of its own.
      return wrapped || AuthError.is(own) || own instanceof AxiosError ? own : error
    },
  }
}

/** Returns an upload of data that is in memory, or that the adapter reads by itself. */
function wholeUpload(data: unknown): AxiosUpload {
  return { data, onResponse: () => {}, end: (error) => error }
}

/**
 * Returns a signal that aborts without a reason. axios writes the request onto an error of its own that it finds
 * there, and the caller may hold that error already.
 */
function withoutReason(signal: AbortSignal): AbortSignal {
  const controller = new AbortController()
  const abort = (): void => controller.abort()
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort, { once: true })
  return controller.signal
}
