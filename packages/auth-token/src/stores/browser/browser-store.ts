/**
 * Shares one token among all tabs of an origin, in their memory alone.
 *
 * @module @svc/auth-token/browser-store
 */
import { internalsOf } from '../../timers.ts'
import { type BrowserTokenStoreOptions, openBrowserStore } from './open-browser-store.ts'
import { thisPlatform } from './platform.ts'
import type { BrowserTokenStore } from './sign-in.ts'

export type { BrowserTokenStoreOptions } from './open-browser-store.ts'
export type { BrowserTokenStore } from './sign-in.ts'

/**
 * Keeps tokens in the memory of the tabs of an origin, so that they need one login and one refresh. A tab that opens
 * gets them from one that is open; with the last tab they are gone. Nothing is written to `localStorage`, IndexedDB or
 * a cookie.
 *
 * It works by Web Locks and a `BroadcastChannel`. Where the browser lacks one of them, as in a page that is no secure
 * context, each tab has a session of its own, and an event `store.unshared` says so.
 *
 * @throws TypeError if an option is invalid.
 * @example
 * import { authFetch, createSessionAuth } from '@svc/auth-token'
 * import { browserTokenStore } from '@svc/auth-token/browser-store'
 *
 * const baseUrl = 'https://api.example.com'
 * const auth = createSessionAuth({
 *   baseUrl,
 *   credentials: { app: 'reports' },
 *   // The cookie of the user's session tells the server who asks.
 *   async login({ fetch }) {
 *     const init = { method: 'POST', credentials: 'include' } as const
 *     const { token } = await (await fetch(`${baseUrl}/token`, init)).json()
 *     return { token }
 *   },
 *   store: browserTokenStore(),
 * })
 * const apiFetch = authFetch(auth, { baseUrl })
 * console.log(await (await apiFetch('/reports')).json())
 * @see https://www.w3.org/TR/web-locks/
 * @see https://html.spec.whatwg.org/multipage/web-messaging.html#broadcasting-to-other-browsing-contexts
 */
export function browserTokenStore(options: BrowserTokenStoreOptions = {}): BrowserTokenStore {
  return openBrowserStore(thisPlatform(internalsOf(undefined).timers), options)
}
