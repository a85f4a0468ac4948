import type { Fetch } from '@svc/types'

/** The state that both majors give to a hook, as far as it is used. */
export interface KyState {
  readonly request: Request
  readonly options: KyRequestOptions
  readonly response?: Response
}

/** The state that ky 2 gives to a hook for errors; ky 1 gives the error itself. */
export interface KyErrorState<E extends Error> {
  readonly request: Request
  readonly options: KyRequestOptions
  readonly error: E
}

/** The options of a request of ky's, as far as they are used. */
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

/** Returns the options that ky hands on to its `fetch` beside the request, such as a dispatcher. */
export function fetchOptions(request: Request, options: KyRequestOptions): RequestInit {
  return Object.fromEntries(Object.entries(options).filter(([name]) => !(name in request)))
}

/** Returns the state of either major. */
export function stateOf(parameters: KyParameters): KyState {
  if (parameters.length === 1) return parameters[0]
  const [request, options, response] = parameters
  return { request, options, ...(response instanceof Response && { response }) }
}
