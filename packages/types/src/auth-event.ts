/**
 * Something that happened while requests were authenticated. Free of secrets: no token, no key, no
 * password, no query and no body.
 *
 * Every event is given to `onEvent` and, where the runtime has one, published on the channel
 * `svc-auth` of `node:diagnostics_channel`. Instants are epoch milliseconds.
 */
export type AuthEvent =
  | {
      /** A login is about to be sent. */
      readonly type: 'login.start'
      readonly scheme: string
      readonly origin: string
    }
  | {
      /** A login gave a token. */
      readonly type: 'login.ok'
      readonly scheme: string
      readonly origin: string
      /** The number of the token. */
      readonly generation: number
      readonly expiresAt: number
    }
  | {
      /** A login gave no token. */
      readonly type: 'login.failed'
      readonly scheme: string
      readonly origin: string
      /** The code of the error that the callers get. */
      readonly code: string
      readonly status?: number
    }
  | {
      /** A token that is already there authenticates a request. */
      readonly type: 'token.reused'
      readonly scheme: string
      readonly origin: string
      readonly generation: number
    }
  | {
      /** The service refused a token. */
      readonly type: 'token.rejected'
      readonly scheme: string
      readonly origin: string
      readonly generation: number
      readonly status: number
    }
  | {
      /** A token that another session put into the token store is used from now on. */
      readonly type: 'token.adopted'
      readonly scheme: string
      readonly origin: string
      readonly generation: number
      readonly expiresAt: number
    }
  | {
      /** The caller dropped the token and any latch. */
      readonly type: 'token.invalidated'
      readonly scheme: string
      readonly origin: string
      /** The number of the last token. */
      readonly generation: number
    }
  | {
      /** The token store failed or was too slow: the session goes on without sharing for now. */
      readonly type: 'store.failed'
      readonly scheme: string
      readonly origin: string
      readonly operation: 'get' | 'compareAndSwap' | 'lock' | 'unlock'
      /** Whether it did not answer in time, or what it answered cannot be. */
      readonly reason: 'error' | 'timeout' | 'rubbish'
    }
  | {
      /** Another process held the lock of the token store. */
      readonly type: 'lock.waited'
      readonly scheme: string
      readonly origin: string
      readonly waitedMs: number
    }
  | {
      /** No login is made until `retryAt`, the credentials change, or `invalidate()` is called. */
      readonly type: 'latched'
      readonly scheme: string
      readonly origin: string
      readonly retryAt: number
      readonly status?: number
    }
  | {
      /** A request was signed. */
      readonly type: 'signed'
      readonly scheme: string
      readonly origin: string
      readonly method: string
      readonly signedHeaders: string
    }
  | {
      /** The difference to the service's clock was learnt. */
      readonly type: 'clock.adjusted'
      readonly scheme: string
      readonly origin: string
      readonly offsetMs: number
    }
  | {
      /** A redirect was followed, with or without the scheme's credentials. */
      readonly type: 'redirect.followed'
      readonly scheme: string
      readonly status: number
      readonly from: string
      readonly to: string
      readonly authorized: boolean
    }
  | {
      /** A redirect was not followed. */
      readonly type: 'redirect.refused'
      readonly scheme: string
      readonly status: number
      readonly from: string
      /** The target's origin, where it is known: a browser hides it. */
      readonly to?: string
    }
  | {
      /** A selector chose a scheme for a request. */
      readonly type: 'route.chosen'
      readonly scheme: string
      readonly origin: string
      readonly method: string
      readonly path: string
      /** The route's own `path` or `prefix`, or `otherwise`. */
      readonly route: string
    }

/** The kinds of {@link AuthEvent}. */
export type AuthEventType = AuthEvent['type']
