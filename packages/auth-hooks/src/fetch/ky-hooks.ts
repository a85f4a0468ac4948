/* oxlint-disable typescript/no-unsafe-type-assertion -- the two majors of ky give other values at the same place */
import { assertStandardUrl, awaitForm } from '#platform'
import type { Authorization, AuthScheme, Fetch, ResponseHead } from '@svc/types'
import { drain } from '../kernel/drain.ts'
import { authorize, retryReason } from '../kernel/exchange.ts'
import { assertNotFollowed } from '../kernel/redirect.ts'
import { guardStream, releaseStream } from '../kernel/stream.ts'
import { abortable, isThenable } from '../kit/async.ts'
import { assertScheme, checkFunctions, checkOptions } from '../kit/checks.ts'
import { bodyError, hooksError } from '../kit/errors.ts'
import { readTrustRedirects, type TrustedFetch } from '../kit/inner-fetch.ts'
import { hintDiagnosis } from '../kit/refused-signature.ts'
import { fetchArguments } from './fetch-arguments.ts'
import { type FetchRequest, readFetchRequest } from './request.ts'

/** Says where the options of ky itself go. */
export const kyHint = '; those of ky, such as prefix, go to ky.create'

/** Options of {@link kyAuthHooks}. */
export interface KyAuthHooksOptions extends TrustedFetch {
  /**
   * Sends the replay of a rejected request. If ky has its own `fetch`, pass it here too.
   *
   * @default ky's own with ky 1; with ky 2, whose hooks do not see it, the global one
   */
  fetch?: Fetch | undefined
}

/** Hooks that {@link kyAuthHooks} returns for the `hooks` option of ky 1 and ky 2. */
export interface KyAuthHooks {
  /** Authorizes the request. */
  beforeRequest: ((...state: KyParameters) => Promise<Request>)[]
  /** Authorizes each retry of ky 2, which would otherwise reuse the headers of the last attempt. */
  beforeRetry: ((state: KyState) => Promise<Request | undefined>)[]
  /** Replays a request if the scheme asks for it. */
  afterResponse: ((...state: KyParameters) => Promise<Response | undefined>)[]
  /** Removes the headers that these hooks added from the requests that an error holds, and names `diagnose`. */
  beforeError: (<E extends Error>(state: E | KyErrorState<E>) => E)[]
}

/**
 * Hooks that make ky 1 or ky 2 authenticate every request, for when its `fetch` option is taken.
 *
 * Prefer {@link authKy}, whose `fetch` runs last. With hooks only, a later hook that changes the
 * request invalidates the signature, and redirects are not followed (ky throws its `HTTPError`).
 * The headers that these hooks add are removed from the requests that ky's errors hold, except for
 * the `TimeoutError` of ky 1, for which ky runs no hook.
 *
 * @throws TypeError if an option is wrong; the message names it.
 * @throws AuthError from each call: `ERR_AUTH_ORIGIN`, `ERR_AUTH_URL`, `ERR_AUTH_HEADER`,
 * `ERR_AUTH_BODY`, and the errors of the scheme.
 * @example
 * import { type AuthScheme, type Fetch, kyAuthHooks } from '@svc/auth-hooks'
 * import ky from 'ky'
 *
 * declare const auth: AuthScheme
 * declare const traced: Fetch
 * const hooks = kyAuthHooks(auth, { fetch: traced })
 * const api = ky.create({ prefix: 'https://search.example.com', fetch: traced, hooks })
 * console.log(await api.get('user/groups').json())
 * @see https://github.com/sindresorhus/ky#hooks
 */
export function kyAuthHooks(scheme: AuthScheme, options: KyAuthHooksOptions = {}): KyAuthHooks {
  assertScheme(scheme, caller, 'scheme')
  const checked = checkOptions(options, caller, { fetch: '', trustRedirects: '' }, kyHint)
  const { fetch } = checked
  checkFunctions({ fetch }, caller)
  assertStandardUrl(caller)
  const trustRedirects = readTrustRedirects(checked, caller)
  const settings: HookSettings = { scheme, fetch, trustRedirects, calls: new WeakMap() }
  return {
    beforeRequest: [
      (...parameters) =>
        authorizeKy(settings, parameters.length === 1 ? 2 : 1, stateOf(parameters)),
    ],
    beforeRetry: [
      async (state) => {
        // ky 1 runs `beforeRequest` for every attempt, ky 2 only once.
        const attempts = attemptsOf(settings.calls, state.options.context)
        const isKy2 = attempts.some(({ kyMajor }) => kyMajor === 2)
        return isKy2 ? authorizeKy(settings, 2, state) : undefined
      },
    ],
    afterResponse: [(...parameters) => reviewKy(settings, stateOf(parameters))],
    beforeError: [
      (stateOrError) => hintDiagnosis(scheme, restoreError(settings.calls, stateOrError)),
    ],
  }
}

const caller = '[@svc/auth-hooks] kyAuthHooks'

interface HookSettings {
  readonly scheme: AuthScheme
  readonly fetch: Fetch | undefined
  readonly trustRedirects: boolean
  readonly calls: KyCalls
}

/** Returns the request of the coming attempt, with a credential of its own. */
async function authorizeKy(
  { scheme, calls }: HookSettings,
  kyMajor: 1 | 2,
  { request, options: { body, context } }: KyState,
): Promise<Request> {
  guardStream(body)
  try {
    const earlier = attemptsOf(calls, context)
    abandonOpen(earlier)
    const refused = earlier.find(({ refusal }) => refusal)
    if (refused) throw refused.refusal
    const attempt = earlier.filter((entry) => restoreHeaders(request, entry)).length + 1
    // A signal that a timeout of ky's aborted in the attempt before: ky gives the coming attempt one of its own, and
    // has looked for an abort of the caller's by itself.
    const isOldSignal = request.signal.aborted && earlier.length > 0
    const withoutSignal = isOldSignal ? { signal: null } : undefined
    const read = await readFetchRequest({ caller, scheme }, request, withoutSignal)
    // A body that a scheme wrapped is in ky's request as it was sent, and must not be wrapped twice.
    const wrapped = earlier.find(({ authorization }) => authorization.body)
    if (wrapped && !wrapped.request.body?.replayable) {
      throw bodyError('a stream cannot be sent again')
    }
    const restored = wrapped ? { ...read, body: wrapped.request.body } : read
    const previous = earlier.at(-1)?.response
    const coming = { attempt, reason: 'initial', previous } as const
    const authorization = await authorize(scheme, restored, coming)
    earlier.push({ kyMajor, request: restored, authorization, attempt, isOver: false })
    const { input, init } = fetchArguments(restored, authorization, asMade)
    return new Request(input, init)
  } catch (error) {
    // ky ends no stream of Node's when a hook fails.
    releaseStream(body, error)
    await awaitForm(request)
    throw error
  }
}

/** Returns the response to a replay, if the scheme asks for one. */
async function reviewKy(
  settings: HookSettings,
  { request, options, response }: KyState,
): Promise<Response | undefined> {
  const { calls, scheme } = settings
  const { context } = options
  // A response of a hook was never sent, and has no URL.
  if (context && !calls.has(context) && response?.url) {
    void drain(response)
    throw hooksError(
      'ERR_AUTH_REQUEST',
      'kyAuthHooks: an earlier beforeRequest hook returned a Request, after which ky 1 runs no ' +
        'other, so this one was sent without its credential; put kyAuthHooks first, or use authKy',
    )
  }
  const used = attemptsOf(calls, context).findLast((entry) => carries(request, entry))
  if (!used || !response) return undefined
  assertOwnResponse(settings, response, used)
  used.isOver = true
  used.response = response
  const send = settings.fetch ?? options.fetch ?? globalThis.fetch
  // The options that ky hands on to its `fetch` beside the request, such as a dispatcher.
  const further = Object.fromEntries(Object.entries(options).filter(([name]) => !(name in request)))
  const reasons: string[] = []
  let { authorization, attempt } = used
  for (let last = response; ;) {
    const reviewed = retryReason(authorization, used.request, last, reasons)
    const reason = isThenable(reviewed) ? await abortable(reviewed, used.request.signal) : reviewed
    if (reason === undefined) return last === response ? undefined : last
    reasons.push(reason)
    void drain(last)
    attempt += 1
    authorization = await authorize(scheme, used.request, { attempt, reason, previous: last })
    try {
      const { input, init } = fetchArguments(used.request, authorization, asMade)
      last = await send(input, { ...further, ...init })
      assertOwnResponse(settings, last, used)
    } catch (error) {
      authorization.abandon?.()
      throw error
    }
  }
}

/** Throws if a response comes from the target of a redirect; the credential is not sent again then. */
function assertOwnResponse(
  { trustRedirects }: HookSettings,
  response: Response,
  used: AuthorizedAttempt,
): void {
  try {
    if (!trustRedirects) assertNotFollowed(response, used.request)
  } catch (error) {
    used.refusal = error
    abandonOpen([used])
    void drain(response)
    throw error
  }
}

// ky makes its requests itself, and gives a dispatcher to its `fetch` once more.
const asMade = { rebuildRequests: true }

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

interface AuthorizedAttempt {
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

type KyCalls = WeakMap<object, AuthorizedAttempt[]>

/** Returns the attempts of the call that a context belongs to. */
function attemptsOf(calls: KyCalls, context: object | undefined): AuthorizedAttempt[] {
  if (!context) return []
  const attempts = calls.get(context) ?? []
  calls.set(context, attempts)
  return attempts
}

/** Tells the scheme of the attempts that got no response. */
function abandonOpen(attempts: readonly AuthorizedAttempt[]): void {
  for (const attempt of attempts.filter(({ isOver }) => !isOver)) {
    attempt.isOver = true
    attempt.authorization.abandon?.()
  }
}

/** Tells if a request carries exactly the headers that an authorization added. */
function carries(request: Request, { authorization }: AuthorizedAttempt): boolean {
  return authorization.headers.every(([name, value]) => request.headers.get(name) === value)
}

/** Takes the headers of an authorization out of a request of ky's; `true` if it carried them all. */
function restoreHeaders(request: Request, entry: AuthorizedAttempt): boolean {
  const isCarried = carries(request, entry)
  for (const [name, value] of entry.authorization.headers) {
    if (request.headers.get(name) !== value) continue
    const earlier = entry.request.headers.get(name)
    if (earlier === null) request.headers.delete(name)
    else request.headers.set(name, earlier)
  }
  return isCarried
}

/** Returns the error that a hook for errors was given, by either major. */
export function errorOf<E extends Error>(stateOrError: E | KyErrorState<E>): E {
  return 'error' in stateOrError ? stateOrError.error : stateOrError
}

/** Takes the headers that the hooks added out of the requests that an error holds. Returns the error. */
function restoreError<E extends Error>(calls: KyCalls, stateOrError: E | KyErrorState<E>): E {
  const error = errorOf(stateOrError)
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
