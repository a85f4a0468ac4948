import type { Authorization } from '@svc/types'
import type { AxiosResponse, InternalAxiosRequestConfig } from 'axios'
import { platform } from '#axios-platform'
import { discardData, headOf } from './response.ts'
import type { AxiosLibrary, InnerAdapter } from './library.ts'
import { redaction } from './axios-redaction.ts'
import { type AxiosRequest, suppressedHeaders } from './request.ts'
import { withOwnReason } from './axios-signal.ts'
import { type AxiosUpload, openUpload } from './axios-upload.ts'
import { contentLength } from '../kernel/body-headers.ts'
import { drain } from '../kernel/drain.ts'
import type { RedirectedRequest, Transport } from '../kernel/exchange.ts'
import { refuseRecodedHead } from '../node/head-encoding.ts'
import { OutgoingHeaders } from '../kernel/headers.ts'
import type { RedirectResponse } from '../kernel/redirect.ts'

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
    head: ({ head }) => head,
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
  if (adapter.name === 'http') refuseRecodedHead(headers)
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
  const isElsewhere = url.origin !== request.url.origin
  let headers = isElsewhere
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
