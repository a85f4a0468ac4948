/**
 * The `authFetch` that sends a request again after a 503, a 429 or a broken connection.
 *
 * @module @svc/auth-hooks/retry
 */
import type { AuthScheme, Fetch } from '@svc/types'
import {
  authFetchFor,
  type AuthFetchOptions as PlainAuthFetchOptions,
  fetchAdapterNames,
} from '../fetch/auth-fetch.ts'
import { checkOptions } from '../kit/checks.ts'
import { readRetryOptions, type RetryOptions } from './options.ts'
import { withRetries } from './retry.ts'

export type { RetryOptions }

/** Options of {@link authFetch}: those of the one of `@svc/auth-hooks`, and `retry`. */
export interface AuthFetchOptions extends PlainAuthFetchOptions {
  /**
   * When a request is sent again, and after which wait. `onEvent` receives `request.retried` each time.
   *
   * @default `{}`, the defaults of its options
   */
  retry?: RetryOptions | undefined
}

/**
 * Returns the `authFetch` of `@svc/auth-hooks` that also sends a request again: after a response with one of `statuses`,
 * or if the connection broke before there was one. It repeats only the idempotent methods, unless `methods` says
 * otherwise, and no body that it cannot send again: a stream, or that of a `Request` that is larger than `maxReplayBytes`.
 *
 * Each attempt is authorized anew. Between them it waits for a random part of a time that doubles, and at least as long
 * as `Retry-After` says. The call ends with the last response or error. Its signal is one for all attempts and waits,
 * and so is the time of `AbortSignal.timeout`. A login is repeated that got no response, or one of `statuses` that is
 * 408, 429 or from 500 on, once its session allows that. No other `AuthError` is, such as that of a refused login.
 *
 * @throws TypeError at construction, if an option is wrong; the message names it.
 * @throws AuthError from the returned `fetch`, as that of `@svc/auth-hooks` does.
 * @example
 * import { authFetch } from '@svc/auth-hooks/retry'
 * import { createTokenAuth } from '@svc/auth-token'
 *
 * const baseUrl = 'https://search.example.com'
 * const credentials = { username: 'reader@example.com', password: 'a password' }
 * const auth = createTokenAuth({ baseUrl, credentials })
 * const serviceFetch = authFetch(auth, { baseUrl, retry: { limit: 3 } })
 * const response = await serviceFetch('/user/groups', { signal: AbortSignal.timeout(10_000) })
 * console.log(await response.json())
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-9.2.2
 */
export function authFetch(scheme: AuthScheme, options: AuthFetchOptions = {}): Fetch {
  const caller = '[@svc/auth-hooks/retry] authFetch'
  const names = {
    ...fetchAdapterNames,
    baseUrl: 'endpoint prefix prefixUrl url host',
    retry: 'retries',
  }
  const { retry = {} } = checkOptions(options, caller, names)
  return authFetchFor(
    caller,
    scheme,
    options,
    { names },
    withRetries(readRetryOptions(retry, caller)),
  )
}
