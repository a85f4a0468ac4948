import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http'

/** What handlers and hooks are given, as far as got 14, 15 and 16 agree about it. */
export interface GotOptions {
  readonly url: string | URL | undefined
  readonly method: string
  readonly headers: Record<string, string | string[] | undefined>
  readonly signal: AbortSignal | undefined
  readonly isStream: boolean
  readonly allowGetBody: boolean
  body: unknown
  request: unknown
  createNativeRequestOptions(): object
  getRequestFunction(): unknown
}

/** How got has a request sent, with the parameters of `http.request`. */
export type GotRequestFunction = (
  url: URL | RequestOptions,
  options?: RequestOptions | ResponseCallback,
  callback?: ResponseCallback,
) => ClientRequest | PromiseLike<ClientRequest | undefined> | undefined

/** What a cache wants to be called with the response. */
export type ResponseCallback = (response: IncomingMessage) => void
