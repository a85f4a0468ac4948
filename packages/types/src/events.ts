/** The field that every event has. */
interface SchemeEvent {
  /** The name of the scheme. */
  readonly scheme: string
}

/** The fields of an event about the service at `baseUrl`. */
interface BaseUrlEvent extends SchemeEvent {
  /** The origin of `baseUrl`. */
  readonly origin: string
}

/**
 * Something that happened while authenticating requests. Contains no secrets: no token, key,
 * password, query or body.
 *
 * Every event is passed to `onEvent` and, if the runtime has `node:diagnostics_channel`, published
 * on its `svc-auth` channel. Instants are epoch milliseconds.
 *
 * @see https://nodejs.org/api/diagnostics_channel.html
 */
export type AuthEvent =
  | (BaseUrlEvent & {
      /** A login is about to be sent. */
      readonly type: 'login.start'
    })
  | (BaseUrlEvent & {
      /** A login returned a token. */
      readonly type: 'login.ok'
      /** The token's generation number. */
      readonly generation: number
      /** When the token expires. */
      readonly expiresAt: number
    })
  | (BaseUrlEvent & {
      /** A login returned no token. */
      readonly type: 'login.failed'
      /** The code of the error the callers get. */
      readonly code: string
      /** The status of the response, if there was one. */
      readonly status?: number
    })
  | (BaseUrlEvent & {
      /** An existing token authenticates a request. */
      readonly type: 'token.reused'
      /** The token's generation number. */
      readonly generation: number
    })
  | (BaseUrlEvent & {
      /** The service refused a token. */
      readonly type: 'token.rejected'
      /** The token's generation number. */
      readonly generation: number
      /** The status of the response that refused it. */
      readonly status: number
    })
  | (BaseUrlEvent & {
      /** A token that another session put into the token store is now in use. */
      readonly type: 'token.adopted'
      /** The generation number of the store record that holds the token. */
      readonly generation: number
      /** When the token expires. */
      readonly expiresAt: number
    })
  | (BaseUrlEvent & {
      /** The caller discarded the token and any pause. */
      readonly type: 'token.invalidated'
      /** The generation number of the last token. */
      readonly generation: number
    })
  | (BaseUrlEvent & {
      /** The token store failed or was too slow: for now, the session continues without sharing. */
      readonly type: 'store.failed'
      /** The store method that failed. */
      readonly operation: 'get' | 'compareAndSwap' | 'lock' | 'unlock'
      /** `error`: it threw; `timeout`: it was too slow; `rubbish`: it returned an invalid value. */
      readonly reason: 'error' | 'timeout' | 'rubbish'
    })
  | (BaseUrlEvent & {
      /** Another process held the token store's lock. */
      readonly type: 'lock.waited'
      /** The time that this session waited, in milliseconds. */
      readonly waitedMs: number
    })
  | (BaseUrlEvent & {
      /** No login until `retryAt`, unless the credentials change or `invalidate()` is called. */
      readonly type: 'login.paused'
      /** When the next login may be made. */
      readonly retryAt: number
      /** The status of the response that refused the login, if there was one. */
      readonly status?: number
    })
  | (SchemeEvent & {
      /** A request was signed. */
      readonly type: 'signed'
      /** The origin of the request. */
      readonly origin: string
      /** The method of the request. */
      readonly method: string
      /** The names of the signed headers, separated by `;`. */
      readonly signedHeaders: string
    })
  | (BaseUrlEvent & {
      /** The offset from the service's clock was learned. */
      readonly type: 'clock.adjusted'
      /** The offset of the service's clock, in milliseconds: positive where it is ahead of this one. */
      readonly offsetMs: number
    })
  | (SchemeEvent & {
      /** A redirect was followed, with or without the scheme's credentials. */
      readonly type: 'redirect.followed'
      /** The status of the redirect. */
      readonly status: number
      /** The origin that redirected. */
      readonly from: string
      /** The origin of the target. */
      readonly to: string
      /** `true` if the request to the target was authenticated. */
      readonly authorized: boolean
    })
  | (SchemeEvent & {
      /** A redirect was not followed. */
      readonly type: 'redirect.refused'
      /** The status of the redirect. */
      readonly status: number
      /** The origin that redirected. */
      readonly from: string
      /** The origin of the target, if known: a browser hides it. */
      readonly to?: string
    })
  | (SchemeEvent & {
      /** A selector chose a scheme for a request. */
      readonly type: 'route.chosen'
      /** The name of the chosen scheme. */
      readonly scheme: string
      /** The origin of the request. */
      readonly origin: string
      /** The method of the request. */
      readonly method: string
      /** The path of the request, as in its URL. */
      readonly path: string
      /** The `path` or `prefix` of the route, or `otherwise`. */
      readonly route: string
    })

/** The kinds of {@link AuthEvent}. */
export type AuthEventType = AuthEvent['type']
