/**
 * Authenticates requests of axios 1.7 and later. Needs `axios`.
 *
 * @module @svc/auth-hooks/axios
 */

import type { AuthScheme } from '@svc/types'
import { platform } from '#axios-platform'
import axios, {
  type AxiosAdapter,
  type AxiosResponse,
  type InternalAxiosRequestConfig,
} from 'axios'
import { exchange } from '../kernel/exchange.ts'
import {
  exchangeNames,
  type ExchangeOptions,
  type ExchangeSettings,
  readExchangeOptions,
} from '../kernel/options.ts'
import { readTrustRedirects, type TrustedFetch } from '../kit/inner-fetch.ts'
import { guardStream, releaseStream } from '../kernel/stream.ts'
import { abortable, followSignal, isThenable } from '../kit/async.ts'
import { assertPlain, noteAuthenticating } from '../kit/nested.ts'
import { check } from '../kit/checks.ts'
import { assertAxios, type AxiosCopy, type AxiosLibrary, findAdapter } from './library.ts'
import { hintDiagnosis } from '../kit/refused-signature.ts'
import { type AxiosRequest, readAxiosRequest } from './request.ts'
import { axiosTransport } from './transport.ts'

export type { AxiosCopy } from './library.ts'

/**
 * Options of {@link authAxios}.
 *
 * @template Adapter - The adapter type of this copy of axios.
 */
export interface AuthAxiosOptions<Adapter = AxiosAdapter> extends ExchangeOptions, TrustedFetch {
  /**
   * The adapter that sends: one of axios' own, or another one, which must not follow redirects.
   * `xhr` is rejected, since a browser follows them with all headers.
   *
   * @default `'http'`, or `'fetch'` without `node:http`
   */
  adapter?: 'fetch' | 'http' | NoInfer<Adapter> | undefined
  /**
   * The copy of axios that you use, if the program has several.
   *
   * @default the one this package imports
   */
  axios?: AxiosCopy<Adapter> | undefined
  /**
   * Takes the `fetch` of a runtime that follows redirects whatever it is told, as React Native's does, for the
   * adapter `fetch`. axios does not tell where a response comes from: a redirect that a `fetch` of its own option
   * `env` follows by itself is not noticed, so give it none that does.
   *
   * @default `false`: such a `fetch` of the runtime is a `TypeError`
   */
  trustRedirects?: boolean | undefined
}

/**
 * Options that {@link authAxios} returns for `axios.create`, for the `defaults` of an instance, or for the
 * configuration of a single call.
 *
 * @template Adapter - The adapter type of this copy of axios.
 */
export interface AuthAxiosConfig<Adapter = AxiosAdapter> {
  /** Sends axios' requests, authenticated. */
  adapter: Adapter
}

/**
 * Makes axios authenticate every request: as its adapter, so after all interceptors and transforms,
 * once per physical attempt, and on a copy of the configuration that no error ever shows.
 *
 * `validateStatus` sees only the final response; `timeout` covers everything up to its end, or to its
 * head if it is read as a stream, including a login. An `AuthError` is thrown unchanged, everything else as axios throws it.
 *
 * @throws TypeError if an option is wrong or this version of axios is not supported; the message
 * names it.
 * @throws AuthError from each request: `ERR_AUTH_ORIGIN`, `ERR_AUTH_URL`, `ERR_AUTH_HEADER`,
 * `ERR_AUTH_BODY`, `ERR_AUTH_REDIRECT`, and the errors of the scheme.
 * @example
 * import type { AuthScheme } from '@svc/auth-hooks'
 * import { authAxios } from '@svc/auth-hooks/axios'
 * import axios from 'axios'
 *
 * declare const auth: AuthScheme
 * const api = axios.create({ baseURL: 'https://search.example.com', ...authAxios(auth) })
 * const { data: groups } = await api.get('/user/groups')
 * console.log(groups)
 * @see https://axios-http.com/docs/req_config
 */
export function authAxios<Adapter = AxiosAdapter>(
  scheme: AuthScheme,
  options: AuthAxiosOptions<Adapter> = {},
): AuthAxiosConfig<Adapter> {
  const names = { ...exchangeNames, adapter: '', axios: '', trustRedirects: '' }
  const hint = '; those of axios, such as baseURL, go to axios.create'
  const { settings, options: own } = readExchangeOptions(scheme, options, caller, names, hint)
  const library: unknown = own.axios === undefined ? axios : own.axios
  assertAxios(library, caller)
  assertPlain(own.adapter, 'adapter', caller)
  const adapter = findAdapter(library, own.adapter, caller)
  // Its fetch is that of the runtime, unless a configuration names another.
  readTrustRedirects(own, caller, adapter.name === 'fetch')
  if (adapter.name === 'http') platform?.reportRedaction(scheme, settings)
  const authorizing: AxiosAdapter = async (config) => {
    const { data } = config
    guardStream(data)
    let deadline: Deadline | undefined
    let request: AxiosRequest | undefined
    try {
      deadline = startDeadline(library, config)
      const read = readAxiosRequest(scheme, library, adapter.name, config, deadline.signal)
      request = isThenable(read) ? await read : read
      const limited = limitRedirects(settings, config)
      const transport = axiosTransport(library, adapter, config)
      const response = await exchange(scheme, limited, transport, request)
      const completed = await abortable(response.complete(deadline.release), deadline.signal)
      deadline.onResponse()
      return settle(library, completed, scheme, request)
    } catch (error) {
      deadline?.release()
      if (!request) releaseStream(data, error)
      throw error
    }
  }
  // An adapter of this copy: only the types of the versions differ.
  return { adapter: noteAuthenticating(authorizing) as Adapter }
}

const caller = '[@svc/auth-hooks] authAxios'

/** Returns settings with as many redirects as both the options and the configuration allow. */
function limitRedirects(
  settings: ExchangeSettings,
  { maxRedirects }: InternalAxiosRequestConfig,
): ExchangeSettings {
  // axios takes a text for it too, and null for none.
  const given: unknown = maxRedirects
  const limit = Number(given ?? Infinity)
  check(limit >= 0, caller, 'maxRedirects must be a non-negative number')
  return limit < settings.maxRedirects ? { ...settings, maxRedirects: limit } : settings
}

/** Returns or rejects a response by `validateStatus`, as axios' own adapters do. */
function settle(
  { AxiosError }: AxiosLibrary,
  response: AxiosResponse,
  scheme: AuthScheme,
  sent: AxiosRequest,
): AxiosResponse {
  const { status, config, request } = response
  if (!status || !config.validateStatus || config.validateStatus(status)) return response
  const code =
    status >= 400 && status < 500 ? AxiosError.ERR_BAD_REQUEST : AxiosError.ERR_BAD_RESPONSE
  const message = `Request failed with status code ${status}`
  throw hintDiagnosis(scheme, new AxiosError(message, code, config, request, response), sent)
}

function hasFunctions(value: object, ...names: readonly string[]): boolean {
  return names.every((name) => typeof Reflect.get(Object(value), name) === 'function')
}

/** The early end of a call, as its caller may bring it about. */
interface Deadline {
  /** Joins the signal, the cancel token and the timeout of the caller, if there is any of them. */
  readonly signal: AbortSignal | undefined
  /** Ends the `timeout`: the response is there, but for a body that the caller reads as a stream. */
  readonly onResponse: () => void
  /** Lets go of the signal and the cancel token. */
  readonly release: () => void
}

/** Joins the signal, the cancel token and the timeout of a configuration. */
function startDeadline({ AxiosError }: AxiosLibrary, config: InternalAxiosRequestConfig): Deadline {
  const { cancelToken } = config
  // axios takes a text for it too.
  const timeoutMs = Number.parseInt(String(config.timeout), 10)
  if (!config.signal && !cancelToken && !(timeoutMs > 0)) {
    return { signal: undefined, onResponse: () => {}, release: () => {} }
  }
  const isSignal =
    !config.signal || hasFunctions(config.signal, 'addEventListener', 'removeEventListener')
  check(isSignal, caller, 'signal must be an AbortSignal')
  const isToken = !cancelToken || hasFunctions(cancelToken, 'subscribe', 'unsubscribe')
  check(isToken, caller, 'cancelToken must be a CancelToken')
  // axios' type of it is that of its oldest stand-ins.
  const { signal, abort, release } = followSignal(config.signal as AbortSignal | undefined)
  const timeOut = (): void => {
    const { ETIMEDOUT, ECONNABORTED } = AxiosError
    const message = config.timeoutErrorMessage ?? `timeout of ${config.timeout}ms exceeded`
    const code = config.transitional?.clarifyTimeoutError ? ETIMEDOUT : ECONNABORTED
    abort(new AxiosError(message, code, config))
  }
  cancelToken?.subscribe(abort)
  const timer = timeoutMs > 0 ? setTimeout(timeOut, timeoutMs) : undefined
  const onResponse = (): void => clearTimeout(timer)
  return {
    signal,
    onResponse,
    release() {
      onResponse()
      release()
      cancelToken?.unsubscribe(abort)
    },
  }
}
