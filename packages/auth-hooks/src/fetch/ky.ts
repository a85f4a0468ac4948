import { holdStream } from '#platform'
import type { AuthScheme, Fetch } from '@svc/types'
import { prepareQuietly } from '../kernel/exchange.ts'
import { check } from '../kit/checks.ts'
import { assertPlain, noteAuthenticating } from '../kit/nested.ts'
import { hintDiagnosis } from '../kit/refused-signature.ts'
import { authFetchFor, type FetchAdapterOptions, fetchAdapterNames } from './auth-fetch.ts'
import { errorOf, type KyErrorState, kyHint, type KyParameters, stateOf } from './ky-hooks.ts'

/** Options that {@link authKy} returns for `ky.extend` of ky 1 and ky 2. */
export interface KyAuth {
  /** Authenticates requests, as `authFetch` does. */
  fetch: Fetch
  /** Hooks that ky merges with those of the instance. */
  hooks: {
    /** Lets the scheme prepare before ky starts its `timeout`. */
    beforeRequest: ((...state: KyParameters) => Promise<void>)[]
    /** Names `diagnose` as the cause of a 400 or a 403 of a signed request. */
    beforeError: (<E extends Error>(state: E | KyErrorState<E>) => E)[]
  }
}

/**
 * Options that make ky 1 or ky 2 authenticate every request: a `fetch` that runs last, and a hook
 * that logs in ahead of time, so that a slow login does not count toward ky's `timeout`.
 *
 * `extend` replaces the instance's own `fetch`: pass it on as `options.fetch`.
 *
 * @throws TypeError if an option is wrong; the message names it.
 * @throws AuthError from each call, as with `authFetch`.
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
export function authKy(scheme: AuthScheme, options: FetchAdapterOptions = {}): KyAuth {
  const caller = '[@svc/auth-hooks] authKy'
  const fetch = authFetchFor(caller, scheme, options, {
    names: fetchAdapterNames,
    hint: kyHint,
    // ky makes its requests itself, and gives a dispatcher to its `fetch` once more.
    rebuildRequests: true,
  })
  assertPlain(options.fetch, 'fetch', caller)
  const kyAuth: KyAuth = {
    fetch: noteAuthenticating(fetch),
    hooks: {
      beforeRequest: [
        (...parameters) => {
          const { request, options: kyOptions } = stateOf(parameters)
          // The request leads to it only once it is read: it may fail or flow elsewhere during a login.
          holdStream(kyOptions?.body)
          if (!scheme.prepare) return Promise.resolve()
          const { method, url, signal } = request
          return prepareQuietly(scheme, { method, url: new URL(url), signal })
        },
      ],
      beforeError: [(stateOrError) => hintDiagnosis(scheme, errorOf(stateOrError))],
    },
  }
  // As the hooks themselves, it would leave each request without its credential. No `extend` reads this otherwise.
  return Object.defineProperty(kyAuth, 'beforeRequest', {
    get: () => check(false, caller, 'it returns options, not hooks: ky.extend(authKy(auth))'),
  })
}
