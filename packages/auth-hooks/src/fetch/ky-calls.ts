/* oxlint-disable typescript/no-unsafe-type-assertion -- the two majors of ky give other values at the same place */
import type { Authorization, Fetch, ResponseHead } from '@svc/types'
import type { FetchRequest } from './request.ts'

/** The state that both majors give to a hook, as far as it is used. */
export interface KyState {
  readonly request: Request
  readonly options: KyRequestOptions
  readonly response?: Response
}

/** The state that ky 2 gives to a hook for errors; ky 1 gives the error itself. */
export interface KyErrorState<E extends Error> extends KyState {
  readonly error: E
}

/** The options that both majors give to a hook, as far as they are used. */
export interface KyRequestOptions {
  /** One object for all hooks of a call, and of no other call: ky merges it anew. */
  readonly context?: object
  readonly body?: unknown
  readonly fetch?: Fetch
}

/** The parameters of a hook: ky 2 gives one state object, ky 1 the request and more. */
export type KyParameters =
  | [state: KyState]
  | [request: Request, options: KyRequestOptions, responseOrState?: unknown, state?: unknown]

export function stateOf(parameters: KyParameters): KyState {
  if (parameters.length === 1) return parameters[0]
  const [request, options, response] = parameters
  return { request, options, ...(response instanceof Response && { response }) }
}

export interface AuthorizedAttempt {
  readonly kyMajor: 1 | 2
  readonly request: FetchRequest
  readonly authorization: Authorization
  readonly attempt: number
  /** `true` once the scheme was told of its response, or that there is none. */
  isOver: boolean
  response?: ResponseHead
  /** The error of a response that came from elsewhere: ky 1 sends such a request again. */
  refusal?: unknown
}

export type KyCalls = WeakMap<object, AuthorizedAttempt[]>

/** Returns the attempts of the call that a context belongs to. */
export function attemptsOf(calls: KyCalls, context: object | undefined): AuthorizedAttempt[] {
  if (!context) return []
  const attempts = calls.get(context) ?? []
  calls.set(context, attempts)
  return attempts
}

/** Tells the scheme of the attempts that got no response. */
export function abandonOpen(attempts: readonly AuthorizedAttempt[]): void {
  for (const attempt of attempts.filter(({ isOver }) => !isOver)) {
    attempt.isOver = true
    attempt.authorization.abandon?.()
  }
}

/** Tells if a request carries exactly the headers that an authorization added. */
export function carries(request: Request, { authorization }: AuthorizedAttempt): boolean {
  return authorization.headers.every(([name, value]) => request.headers.get(name) === value)
}

/** Takes the headers of an authorization out of a request of ky's; `true` if it carried them all. */
export function restoreHeaders(request: Request, entry: AuthorizedAttempt): boolean {
  const isCarried = carries(request, entry)
  for (const [name, value] of entry.authorization.headers) {
    if (request.headers.get(name) !== value) continue
    const earlier = entry.request.headers.get(name)
    if (earlier === null) request.headers.delete(name)
    else request.headers.set(name, earlier)
  }
  return isCarried
}

/** Takes the headers that the hooks added out of the requests that an error holds. Returns the error. */
export function restoreError<E extends Error>(
  calls: KyCalls,
  stateOrError: E | KyErrorState<E>,
): E {
  const error = 'error' in stateOrError ? stateOrError.error : stateOrError
  const { options: given } = stateOrError as Partial<KyState>
  for (const holder of [stateOrError, error]) {
    // ky's HTTPError, TimeoutError and NetworkError hold the request, and some its options.
    const { request, options } = holder as Partial<KyState>
    const attempts = attemptsOf(calls, options?.context ?? given?.context)
    abandonOpen(attempts)
    if (request) for (const attempt of attempts) restoreHeaders(request, attempt)
  }
  return error
}
