import type { AuthScheme, Fetch } from '@svc/types'
import { untilAborted } from './abort.ts'
import { authFetch, type AuthFetchOptions } from './auth-fetch.ts'

/** What {@link authKy} gives to `ky.extend`, of ky 1 and of ky 2. */
export interface AuthKyOptions {
  /** Authenticates the last hop, as {@link authFetch} does. */
  fetch: Fetch
  /** What ky merges with the hooks that an instance has. */
  hooks: {
    /** Has the scheme prepare itself, before ky begins to count its `timeout`. */
    beforeRequest: BeforeRequestHook[]
  }
}

// ky 2 gives one state object, ky 1 the request and more.
type BeforeRequestHook = (stateOrRequest: { readonly request: Request } | Request) => Promise<void>

/**
 * Options that let ky 1 or ky 2 authenticate every request: a `fetch` for the last hop, and a hook
 * that logs in ahead of time, so that a slow login is not charged to ky's `timeout`.
 *
 * `extend` replaces a `fetch` that the instance has: hand that one on as `options.fetch`.
 *
 * @throws TypeError where an option is wrong; the message names it.
 * @throws AuthError from each call, as {@link authFetch} does.
 * @example
 * import { authKy, type AuthScheme } from '@svc/auth-hooks'
 * import { objectGroups } from '@svc/types/schemas'
 * import ky from 'ky'
 *
 * declare const auth: AuthScheme
 * const api = ky.create({ prefix: 'https://search.example.com' }).extend(authKy(auth))
 * const groups = await api.get('user/groups').json(objectGroups)
 * console.log(groups)
 * @see https://github.com/sindresorhus/ky#hooks
 */
export function authKy(scheme: AuthScheme, options?: AuthFetchOptions): AuthKyOptions {
  return {
    fetch: authFetch(scheme, options),
    hooks: { beforeRequest: [(stateOrRequest) => prepare(scheme, stateOrRequest)] },
  }
}

async function prepare(
  scheme: AuthScheme,
  stateOrRequest: { readonly request: Request } | Request,
): Promise<void> {
  const request = 'request' in stateOrRequest ? stateOrRequest.request : stateOrRequest
  const { method, signal } = request
  const url = new URL(request.url)
  if (!scheme.prepare || !scheme.covers(url)) return
  try {
    await untilAborted(scheme.prepare({ method, url, signal }), signal)
  } catch {
    // The request itself meets the same error, and there it goes through ky's own handling.
  }
}
