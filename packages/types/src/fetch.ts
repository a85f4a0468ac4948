/**
 * A function that sends one HTTP request, as the global `fetch` does.
 *
 * `typeof fetch` is not used because some runtimes require more than the call (Bun's `preconnect`).
 *
 * @see https://fetch.spec.whatwg.org/#fetch-method
 */
export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>
