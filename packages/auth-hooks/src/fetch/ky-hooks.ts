/* oxlint-disable typescript/no-unsafe-type-assertion -- the two majors of ky give other values at the same place */
import type { Authorization, AuthScheme, Fetch } from '@svc/types'
import { drain } from '../kernel/drain.ts'
import { authorize, retryReason } from '../kernel/exchange.ts'
import { assertNotFollowed } from '../kernel/redirect.ts'
import { type FetchRequest, readFetchRequest } from '../kernel/request.ts'
import { awaitForm, guardStream, releaseStream } from '../kernel/stream.ts'
import { abortable, isThenable } from '../kit/async.ts'
import { assertScheme, checkFunctions, checkOptions } from '../kit/checks.ts'
import { AuthError } from '../kit/errors.ts'
import { assertHeedsRedirects, readTrustRedirects, type TrustedFetch } from '../kit/inner-fetch.ts'
import { assertStandardUrl } from '../kit/urls.ts'
import { fetchArguments } from './auth-fetch.ts'
import { assertIntegrity } from './integrity.ts'
import { kyHint } from './ky.ts'
import {
  fetchOptions,
  type KyErrorState,
  type KyParameters,
  type KyState,
  stateOf,
} from './ky-state.ts'

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
  /** Removes the headers that these hooks added from the requests that an error holds. */
  beforeError: (<E extends Error>(state: E | KyErrorState<E>) => E)[]
}

/** A request that these hooks authorized. */
interface Authorized {
  readonly kyMajor: 1 | 2
  readonly request: FetchRequest
  readonly authorization: Authorization
  readonly attempt: number
  /** `true` once the scheme was told of its response, or that there is none. */
  isOver: boolean
  /** Its response came from elsewhere: ky 1 sends such a request again. */
  refusal?: unknown
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
  const caller = '[@svc/auth-hooks] kyAuthHooks'
  assertScheme(scheme, caller, 'scheme')
  const checked = checkOptions(options, caller, { fetch: '', trustRedirects: '' }, kyHint)
  const { fetch } = checked
  checkFunctions({ fetch }, caller)
  assertStandardUrl(caller)
  const trustRedirects = readTrustRedirects(checked, caller)
  if (!trustRedirects) assertHeedsRedirects(fetch, caller)
  const calls = new WeakMap<object, Authorized[]>()
  const callOf = (context: object | undefined): Authorized[] => {
    if (!context) return []
    const call = calls.get(context) ?? []
    calls.set(context, call)
    return call
  }

  const authorizeKy = async (kyMajor: 1 | 2, state: KyState): Promise<Request> => {
    const { body } = state.options
    guardStream(body)
    try {
      return await authorizedRequest(kyMajor, state)
    } catch (error) {
      // Of a hook that fails ky ends no stream of Node's.
      releaseStream(body, error)
      await awaitForm(state.request)
      throw error
    }
  }

  const authorizedRequest = async (
    kyMajor: 1 | 2,
    { request, options: { context } }: KyState,
  ): Promise<Request> => {
    const call = callOf(context)
    abandonOpen(call)
    const refused = call.find((entry) => entry.refusal)
    if (refused) throw refused.refusal
    const attempt = call.filter((entry) => restoreHeaders(request, entry)).length + 1
    // A body that a scheme wrapped is in ky's request as it was sent, and must not be wrapped twice.
    const wrapped = call.find((entry) => entry.authorization.body)
    const read = await readFetchRequest({ caller, scheme }, request, undefined)
    const integrity = read.integrity || (call[0]?.request.integrity ?? '')
    const restored = { ...read, integrity, ...(wrapped && { body: wrapped.request.body }) }
    if (wrapped && !restored.body?.replayable) {
      throw new AuthError('ERR_AUTH_BODY', '[@svc/auth-hooks] a stream cannot be sent again')
    }
    const authorization = await authorize(scheme, restored, attempt, 'initial')
    call.push({ kyMajor, request: restored, authorization, attempt, isOver: false })
    const { input, init } = fetchArguments(restored, authorization, asMade)
    // Of the last response alone, which is not known yet.
    return new Request(input, integrity ? { ...init, integrity: '' } : init)
  }

  const replayKy = async ({ request, options: kyOptions, response }: KyState) => {
    const { context } = kyOptions
    // A response of a hook was never sent, and has no URL.
    if (context && !calls.has(context) && response?.url) {
      void drain(response)
      throw new AuthError(
        'ERR_AUTH_REQUEST',
        '[@svc/auth-hooks] kyAuthHooks: an earlier beforeRequest hook returned a Request, after which ky 1 runs no ' +
          'other, so this one was sent without its credential; put kyAuthHooks first, or use authKy',
      )
    }
    const used = callOf(context).findLast((entry) => carries(request, entry))
    if (!used || !response) return undefined
    if (!trustRedirects) assertOwnResponse(response, used)
    used.isOver = true
    const retry = retryReason(used.authorization, used.request, response, [])
    const reason = isThenable(retry) ? await abortable(retry, used.request.signal) : retry
    const { integrity } = used.request
    if (reason === undefined) {
      if (integrity) await assertIntegrity(response, integrity, caller)
      return undefined
    }
    void drain(response)
    const authorization = await authorize(scheme, used.request, used.attempt + 1, reason)
    const { input, init } = fetchArguments(used.request, authorization, asMade)
    const own = {
      ...fetchOptions(request, kyOptions),
      ...init,
      ...(integrity && { integrity: '' }),
    }
    const send = fetch ?? kyOptions.fetch ?? globalThis.fetch
    // Asked for no review: it is the last of its kind.
    const replay = await send(input, own).finally(() => authorization.abandon?.())
    if (!trustRedirects) assertOwnResponse(replay, used)
    if (integrity) await assertIntegrity(replay, integrity, caller)
    return replay
  }

  return {
    beforeRequest: [
      (...parameters) => authorizeKy(parameters.length === 1 ? 2 : 1, stateOf(parameters)),
    ],
    beforeRetry: [
      async (state) => {
        // ky 1 runs `beforeRequest` for every attempt, ky 2 only once.
        const isKy2 = callOf(state.options.context).some((entry) => entry.kyMajor === 2)
        return isKy2 ? authorizeKy(2, state) : undefined
      },
    ],
    afterResponse: [(...parameters) => replayKy(stateOf(parameters))],
    beforeError: [
      (stateOrError) => {
        const error = 'error' in stateOrError ? stateOrError.error : stateOrError
        for (const holder of [stateOrError, error]) {
          // ky's HTTPError, TimeoutError and NetworkError hold the request, and some its options.
          const { request, options: { context } = {} } = holder as Partial<KyState>
          const call = callOf(context ?? (stateOrError as Partial<KyState>).options?.context)
          abandonOpen(call)
          if (request) for (const entry of call) restoreHeaders(request, entry)
        }
        return error
      },
    ],
  }
}

/** Tells the scheme of the attempts that got no response. */
function abandonOpen(call: readonly Authorized[]): void {
  for (const entry of call.filter(({ isOver }) => !isOver)) {
    entry.isOver = true
    entry.authorization.abandon?.()
  }
}

/** Checks that a response does not come from the target of a redirect; if it does, the credential is not sent again. */
function assertOwnResponse(response: Response, used: Authorized): void {
  try {
    assertNotFollowed(response, used.request)
  } catch (error) {
    used.refusal = error
    abandonOpen([used])
    void drain(response)
    throw error
  }
}

// ky makes its requests itself, and gives a dispatcher to its `fetch` once more.
const asMade = { rebuildRequests: true }

/** Tells if a request carries the very headers that an authorization added. */
function carries(request: Request, { authorization }: Authorized): boolean {
  return authorization.headers.every(([name, value]) => request.headers.get(name) === value)
}

/** Takes the headers of an authorization out of a request of ky's; `true` if it carried them all. */
function restoreHeaders(request: Request, entry: Authorized): boolean {
  const isCarried = carries(request, entry)
  for (const [name, value] of entry.authorization.headers) {
    if (request.headers.get(name) !== value) continue
    const earlier = entry.request.headers.get(name)
    if (earlier === null) request.headers.delete(name)
    else request.headers.set(name, earlier)
  }
  return isCarried
}
