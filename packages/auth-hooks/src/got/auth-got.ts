/**
 * Authenticates requests of got 14, 15 and 16. Needs `got`.
 *
 * @module @svc/auth-hooks/got
 */
import type { AuthScheme } from '@svc/types'
import { prepareQuietly } from '../kernel/exchange.ts'
import { type ExchangeOptions, readExchangeOptions } from '../kernel/options.ts'
import { keepForm } from './request.ts'
import type { GotOptions, GotRequestFunction } from './request.ts'
import { type GotCall, sendGotRequest } from './request.ts'
import { isOriginBoundHeader } from '../kernel/redirect.ts'

/** Options of {@link authGot}. */
export interface AuthGotOptions extends ExchangeOptions {}

/** What {@link authGot} returns for `got.extend` of got 14, 15 and 16. */
export interface GotAuth {
  /** Prepares the options of a call. */
  handlers: (<Options extends GotOptions, Result>(
    options: Options,
    next: (options: Options) => Result,
  ) => Result)[]
  /** Hooks that got merges with those of the instance. */
  hooks: {
    /** Takes over sending the request, for one attempt. */
    beforeRequest: ((options: GotOptions) => Promise<void>)[]
    /** Keeps credentials from other origins. */
    beforeRedirect: ((options: GotOptions, response: { readonly statusCode: number }) => void)[]
  }
}

/**
 * Options that make got 14, 15 or 16 authenticate every request: after all hooks, for every attempt
 * and every hop of a redirect, and out of reach of got's options, responses and errors.
 *
 * A request that the service refuses is replayed, apart from got's own retries. Your own `request`
 * option is still used, and must return a `ClientRequest`.
 *
 * @throws TypeError at construction, if an option is wrong; the message names it. Requests throw
 * what got throws: a `RequestError` with the `code` of the `AuthError` that is its `cause`.
 * @example
 * import type { AuthScheme } from '@svc/auth-hooks'
 * import { authGot } from '@svc/auth-hooks/got'
 * import got from 'got'
 *
 * declare const auth: AuthScheme
 * const api = got.extend({ prefixUrl: 'https://search.example.com' }, authGot(auth))
 * console.log(await api.get('user/groups').json())
 * @see https://github.com/sindresorhus/got/blob/main/documentation/9-hooks.md
 */
export function authGot(scheme: AuthScheme, options: AuthGotOptions = {}): GotAuth {
  const settings = readExchangeOptions(scheme, options, '[@svc/auth-hooks] authGot')
  return {
    handlers: [
      (gotOptions, next) => {
        // Where a page leads to the next one, got hands the options of its request on.
        const earlier = callOf(gotOptions)
        if (earlier) gotOptions.request = earlier.request
        keepForm(gotOptions)
        return next(gotOptions)
      },
    ],
    hooks: {
      beforeRequest: [
        async (gotOptions) => {
          assertGot(gotOptions)
          const call = nextCall(gotOptions, callOf(gotOptions), redirects.get(gotOptions))
          // A function of its own for each request: got tells it of the URL, but not of the body.
          const request = (...parameters: Parameters<GotRequestFunction>) =>
            sendGotRequest(scheme, settings, call, parameters)
          calls.set(request, call)
          gotOptions.request = request
          await prepareGot(scheme, gotOptions)
        },
      ],
      beforeRedirect: [
        (gotOptions, { statusCode }) => {
          const from = callOf(gotOptions)?.url
          if (!from) return
          redirects.set(gotOptions, { from, status: statusCode })
          if (new URL(String(gotOptions.url)).origin === from.origin) return
          // got keeps some of them, and here a cookie jar can still choose for the new origin.
          for (const name of Object.keys(gotOptions.headers)) {
            if (isOriginBoundHeader(name)) delete gotOptions.headers[name]
          }
        },
      ],
    },
  }
}

/** What is known of a request, by the function that sends it. */
const calls = new WeakMap<object, GotCall>()
/** What redirected to a request, by its options. */
const redirects = new WeakMap<GotOptions, GotCall['redirect']>()

function callOf({ request }: GotOptions): GotCall | undefined {
  return typeof request === 'function' ? calls.get(request) : undefined
}

function nextCall(
  options: GotOptions,
  earlier: GotCall | undefined,
  redirect: GotCall['redirect'],
): GotCall {
  // Where an instance was extended twice, the last scheme is the one that is meant.
  if (earlier?.options === options) return { ...earlier, trail: { ...earlier.trail } }
  return {
    options,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- got has checked that it is a function
    request: earlier ? earlier.request : (options.request as GotRequestFunction | undefined),
    redirect,
    trail: { ...(earlier?.trail ?? { hops: 0, isCovered: true, added: [] }) },
    url: undefined,
  }
}

/** Logs in ahead of time: got counts no timeout yet. */
async function prepareGot(scheme: AuthScheme, { url, method, signal }: GotOptions): Promise<void> {
  if (URL.canParse(`${url}`))
    await prepareQuietly(scheme, { url: new URL(`${url}`), method, signal })
}

function assertGot(options: Partial<GotOptions>): void {
  // The options of got 11 and earlier are plain, and its own functions cannot be had.
  if (options.getRequestFunction && options.createNativeRequestOptions) return
  throw new TypeError('[@svc/auth-hooks] authGot needs got 14, 15 or 16')
}
