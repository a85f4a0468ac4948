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
  | {
      /** A login is about to be sent. */
      readonly type: 'login.start'
      /** The name of the scheme. */
      readonly scheme: string
      /** The origin of `baseUrl`. */
      readonly origin: string
    }
  | {
      /** A login returned a token. */
      readonly type: 'login.ok'
      /** The name of the scheme. */
      readonly scheme: string
      /** The origin of `baseUrl`. */
      readonly origin: string
      /** The token's generation number. */
      readonly generation: number
      /** When the token expires. */
      readonly expiresAt: number
    }
  | {
      /** A login returned no token. */
      readonly type: 'login.failed'
      /** The name of the scheme. */
      readonly scheme: string
      /** The origin of `baseUrl`. */
      readonly origin: string
      /** The code of the error the callers get. */
      readonly code: string
      /** The status of the response, if there was one. */
      readonly status?: number
      /** The service's own words, as in the error: without control characters and credentials. */
      readonly serverMessage?: string
    }
  | {
      /** An existing token authenticates a request. */
      readonly type: 'token.reused'
      /** The name of the scheme. */
      readonly scheme: string
      /** The origin of `baseUrl`. */
      readonly origin: string
      /** The token's generation number. */
      readonly generation: number
    }
  | {
      /** The service refused a token. */
      readonly type: 'token.rejected'
      /** The name of the scheme. */
      readonly scheme: string
      /** The origin of `baseUrl`. */
      readonly origin: string
      /** The token's generation number. */
      readonly generation: number
      /** The status of the response that refused it. */
      readonly status: number
    }
  | {
      /** A token that another session put into the token store is now in use. */
      readonly type: 'token.adopted'
      /** The name of the scheme. */
      readonly scheme: string
      /** The origin of `baseUrl`. */
      readonly origin: string
      /** The generation number of the store record that holds the token. */
      readonly generation: number
      /** When the token expires. */
      readonly expiresAt: number
    }
  | {
      /** The caller discarded the token and any pause. */
      readonly type: 'token.invalidated'
      /** The name of the scheme. */
      readonly scheme: string
      /** The origin of `baseUrl`. */
      readonly origin: string
      /** The generation number of the last token. */
      readonly generation: number
    }
  | {
      /** The token store failed or was too slow: for now, the session continues without sharing. */
      readonly type: 'store.failed'
      /** The name of the scheme. */
      readonly scheme: string
      /** The origin of `baseUrl`. */
      readonly origin: string
      /** The store method that failed. */
      readonly operation: 'get' | 'compareAndSwap' | 'lock' | 'unlock'
      /** `error`: it threw; `timeout`: it was too slow; `invalid`: it returned an invalid value. */
      readonly reason: 'error' | 'timeout' | 'invalid'
    }
  | {
      /** The store cannot share here: from now on the session is this tab's own. */
      readonly type: 'store.unshared'
      /** The name of the scheme. */
      readonly scheme: string
      /** The origin of `baseUrl`. */
      readonly origin: string
      /** The part of the browser that is missing: Web Locks, which need a secure context, or `BroadcastChannel`. */
      readonly missing: 'locks' | 'broadcast-channel'
    }
  | {
      /** No login until `retryAt`, unless the credentials change or `invalidate()` is called. */
      readonly type: 'login.paused'
      /** The name of the scheme. */
      readonly scheme: string
      /** The origin of `baseUrl`. */
      readonly origin: string
      /** When the next login may be made. */
      readonly retryAt: number
      /** The status of the response that refused the login, if there was one. */
      readonly status?: number
    }
  | {
      /** The user is asked to sign in; or another process asks them, and this one waits for what comes of it. */
      readonly type: 'sign-in.asked' | 'sign-in.waiting'
      /** The name of the scheme. */
      readonly scheme: string
      /** The origin of `baseUrl`. */
      readonly origin: string
      /** Where they are asked: with a code, on any device, or in a browser on this one. */
      readonly method?: 'device-code' | 'loopback'
      /** When it is too late, where they are asked. */
      readonly expiresAt?: number
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
      /** The names of the signed headers, separated by `;`. */
      readonly signedHeaders: string
    }
  | {
      /** The offset from a service's clock was learned, and proven by an accepted request. */
      readonly type: 'clock.adjusted'
      /** The name of the scheme. */
      readonly scheme: string
      /** The origin whose clock it is. */
      readonly origin: string
      /** The offset of the service's clock, in milliseconds: positive if it is ahead of this one. */
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
      /** `true` if the request to the target was authenticated. */
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
      /** The origin of the target, if known: a browser hides it. */
      readonly to?: string
    }
  | {
      /** A request is sent again, once it has waited: by the `authFetch` of `@svc/auth-hooks/retry`. */
      readonly type: 'request.retried'
      /** The name of the scheme that the `authFetch` has. */
      readonly scheme: string
      /** The origin of the request, as it was made. */
      readonly origin: string
      /** The method of the request, as it was made. */
      readonly method: string
      /** The number of this retry: 1, 2 … */
      readonly retry: number
      /** The status of the response that it follows; absent if the connection broke. */
      readonly status?: number
      /** How long it has waited, in milliseconds. */
      readonly delayMs: number
    }
  | {
      /**
       * An adapter for axios or got was made, and this version of Node does not let it hide the headers of a
       * `ClientRequest`: agents and sockets, to which errors lead, show those of requests under way.
       */
      readonly type: 'redaction.unavailable'
      /** The name of the scheme. */
      readonly scheme: string
    }
  | {
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
    }

/** The kinds of {@link AuthEvent}. */
export type AuthEventType = AuthEvent['type']
