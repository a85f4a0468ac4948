/**
 * Something that happened while requests were authenticated. Free of secrets: no token, no key, no
 * password, no query and no body.
 *
 * Every event is given to `onEvent` and, where the runtime has one, published on the channel
 * `svc-auth` of `node:diagnostics_channel`. Instants are epoch milliseconds.
 *
 * @see https://nodejs.org/api/diagnostics_channel.html
 */
export type AuthEvent =
  | {
      /** A login is about to be sent. */
      readonly type: 'login.start'
      /** The name of the scheme. */
      readonly scheme: string
      /** The origin of `baseUrl`. */
      readonly origin: string
    }
  | {
      /** A login gave a token. */
      readonly type: 'login.ok'
      /** The name of the scheme. */
      readonly scheme: string
      /** The origin of `baseUrl`. */
      readonly origin: string
      /** The number of the token. */
      readonly generation: number
      /** When the token expires. */
      readonly expiresAt: number
    }
  | {
      /** A login gave no token. */
      readonly type: 'login.failed'
      /** The name of the scheme. */
      readonly scheme: string
      /** The origin of `baseUrl`. */
      readonly origin: string
      /** The code of the error that the callers get. */
      readonly code: string
      /** The status of the answer, where there was one. */
      readonly status?: number
    }
  | {
      /** A token that is already there authenticates a request. */
      readonly type: 'token.reused'
      /** The name of the scheme. */
      readonly scheme: string
      /** The origin of `baseUrl`. */
      readonly origin: string
      /** The number of the token. */
      readonly generation: number
    }
  | {
      /** The service refused a token. */
      readonly type: 'token.rejected'
      /** The name of the scheme. */
      readonly scheme: string
      /** The origin of `baseUrl`. */
      readonly origin: string
      /** The number of the token. */
      readonly generation: number
      /** The status of the answer that refused it. */
      readonly status: number
    }
  | {
      /** A token that another session put into the token store is used from now on. */
      readonly type: 'token.adopted'
      /** The name of the scheme. */
      readonly scheme: string
      /** The origin of `baseUrl`. */
      readonly origin: string
      /** The number of the record that holds the token in the store. */
      readonly generation: number
      /** When the token expires. */
      readonly expiresAt: number
    }
  | {
      /** The caller dropped the token and any latch. */
      readonly type: 'token.invalidated'
      /** The name of the scheme. */
      readonly scheme: string
      /** The origin of `baseUrl`. */
      readonly origin: string
      /** The number of the last token. */
      readonly generation: number
    }
  | {
      /** The token store failed or was too slow: the session goes on without sharing for now. */
      readonly type: 'store.failed'
      /** The name of the scheme. */
      readonly scheme: string
      /** The origin of `baseUrl`. */
      readonly origin: string
      /** The method of the store that failed. */
      readonly operation: 'get' | 'compareAndSwap' | 'lock' | 'unlock'
      /** Whether it did not answer in time, or what it answered cannot be. */
      readonly reason: 'error' | 'timeout' | 'rubbish'
    }
  | {
      /** Another process held the lock of the token store. */
      readonly type: 'lock.waited'
      /** The name of the scheme. */
      readonly scheme: string
      /** The origin of `baseUrl`. */
      readonly origin: string
      /** For how long, in milliseconds. */
      readonly waitedMs: number
    }
  | {
      /** No login is made until `retryAt`, the credentials change, or `invalidate()` is called. */
      readonly type: 'latched'
      /** The name of the scheme. */
      readonly scheme: string
      /** The origin of `baseUrl`. */
      readonly origin: string
      /** When the next login may be made. */
      readonly retryAt: number
      /** The status of the login that was refused, where it was answered. */
      readonly status?: number
    }
  | {
      /** A request was signed. */
      readonly type: 'signed'
      /** The name of the scheme. */
      readonly scheme: string
      /** The origin of the request. */
      readonly origin: string
      /** The method of the request. */
      readonly method: string
      /** The names of the signed headers, parted by `;`. */
      readonly signedHeaders: string
    }
  | {
      /** The difference to the service's clock was learnt. */
      readonly type: 'clock.adjusted'
      /** The name of the scheme. */
      readonly scheme: string
      /** The origin of `baseUrl`. */
      readonly origin: string
      /** How far the service's clock is ahead of this one, in milliseconds. */
      readonly offsetMs: number
    }
  | {
      /** A redirect was followed, with or without the scheme's credentials. */
      readonly type: 'redirect.followed'
      /** The name of the scheme. */
      readonly scheme: string
      /** The status of the redirect. */
      readonly status: number
      /** The origin that redirected. */
      readonly from: string
      /** The origin of the target. */
      readonly to: string
      /** Whether the request to the target was authenticated. */
      readonly authorized: boolean
    }
  | {
      /** A redirect was not followed. */
      readonly type: 'redirect.refused'
      /** The name of the scheme. */
      readonly scheme: string
      /** The status of the redirect. */
      readonly status: number
      /** The origin that redirected. */
      readonly from: string
      /** The target's origin, where it is known: a browser hides it. */
      readonly to?: string
    }
  | {
      /** A selector chose a scheme for a request. */
      readonly type: 'route.chosen'
      /** The name of the scheme that was chosen. */
      readonly scheme: string
      /** The origin of the request. */
      readonly origin: string
      /** The method of the request. */
      readonly method: string
      /** The path of the request, as the URL has it. */
      readonly path: string
      /** The route's own `path` or `prefix`, or `otherwise`. */
      readonly route: string
    }

/** The kinds of {@link AuthEvent}. */
export type AuthEventType = AuthEvent['type']
