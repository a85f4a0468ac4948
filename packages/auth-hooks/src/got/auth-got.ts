/**
 * Authenticates requests of got 14, 15 and 16. Needs `got`.
 *
 * @module @svc/auth-hooks/got
 */
import type { IncomingMessage } from 'node:http'
import { holdStream } from '#platform'
import type { AuthScheme } from '@svc/types'
import { prepareQuietly } from '../kernel/exchange.ts'
import { exchangeNames, type ExchangeOptions, readExchangeOptions } from '../kernel/options.ts'
import { isOriginBoundHeader } from '../kernel/redirect.ts'
import { guardStream } from '../kernel/stream.ts'
import { assertUnused, noteRead } from '../kernel/used-stream.node.ts'
import { hintDiagnosis } from '../kit/refused-signature.ts'
import { reportRedaction } from '../node/redaction.ts'
import {
  type GotCall,
  type GotOptions,
  type GotRequestFunction,
  replayableForm,
  requestFunction,
} from './request.ts'

/** Options of {@link authGot}. */
export interface AuthGotOptions extends ExchangeOptions {}

/** Options that {@link authGot} returns for `got.extend` of got 14, 15 and 16. */
export interface GotAuth {
  /** Prepares the options of a call. */
  handlers: (<Options extends GotOptions, Result>(
    options: Options,
    next: (options: Options) => Result,
  ) => Result)[]
  /** Hooks that got merges with those of the instance. */
  hooks: {
    /** Names `diagnose` as the cause of a 400 or a 403 of a signed request. */
    beforeError: (<E extends Error & Readonly<Record<'options', GotOptions>>>(error: E) => E)[]
    /** Takes over sending the request, for one attempt. */
    beforeRequest: ((options: GotOptions) => Promise<void>)[]
    /** Keeps credentials from other origins. */
    beforeRedirect: ((
      options: GotOptions,
      response: Pick<IncomingMessage, 'statusCode' | 'headers'>,
    ) => void)[]
  }
}

/**
 * Options that make got 14, 15 or 16 authenticate every request: after all hooks, for every attempt
 * and every hop of a redirect, and out of reach of got's options, responses and errors.
 *
 * A request that the service rejects is replayed, apart from got's own retries. Your own `request`
 * option is still used, and must return a `ClientRequest`.
 *
 * @throws TypeError at construction, if an option is wrong; the message names it. Requests throw
 * as got does: a `RequestError` with the `code` of the `AuthError` that is its `cause`.
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
  const hint = '; those of got, such as prefixUrl, go to got.extend'
  const caller = '[@svc/auth-hooks] authGot'
  const { settings } = readExchangeOptions(scheme, options, caller, exchangeNames, hint)
  reportRedaction(scheme, settings)
  return {
    handlers: [
      (gotOptions, next) => {
        // got has its own error for an input that is none.
        if (!gotOptions) return next(gotOptions)
        // When a page leads to the next one, got passes the options of its request on.
        const earlier = callOf(gotOptions)
        if (earlier) gotOptions.request = earlier.request
        const { body, headers } = gotOptions
        guardStream(body)
        try {
          // Before got asks a form for its length.
          assertUnused(body)
        } catch {
          // Thrown here, it would leave a request of got's without a listener. Another one in its place is rejected later.
          const spent = (async function* () {})()
          noteRead(spent)
          gotOptions.body = spent
        }
        if (body instanceof FormData) {
          const form = replayableForm(body)
          headers['content-type'] ??= form.contentType
          headers['content-length'] = `${form.size}`
          gotOptions.body = form.source
        }
        return next(gotOptions)
      },
    ],
    hooks: {
      beforeError: [(error) => hintDiagnosis(scheme, error, error.options)],
      beforeRequest: [
        async (gotOptions) => {
          assertGot(gotOptions)
          const call = nextCall(gotOptions, callOf(gotOptions), redirects.get(gotOptions))
          // A function of its own for each request: got tells it of the URL, but not of the body.
          const request = requestFunction(scheme, settings, call)
          calls.set(request, call)
          gotOptions.request = request
          holdStream(gotOptions.body)
          const { url, method, signal } = gotOptions
          // Ahead of time: got counts no timeout yet.
          const text = String(url)
          if (!URL.canParse(text)) return
          await prepareQuietly(scheme, { url: new URL(text), method, signal })
        },
      ],
      beforeRedirect: [
        (gotOptions, response) => {
          const from = callOf(gotOptions)?.url
          if (!from) return
          redirects.set(gotOptions, { from, response })
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

/** The calls of got's requests, by the function that sends each. */
const calls = new WeakMap<object, GotCall>()
/** The redirects that led to requests, by their options. */
const redirects = new WeakMap<GotOptions, GotCall['redirect']>()

function callOf({ request }: GotOptions): GotCall | undefined {
  return typeof request === 'function' ? calls.get(request) : undefined
}

function nextCall(
  options: GotOptions,
  earlier: GotCall | undefined,
  redirect: GotCall['redirect'],
): GotCall {
  return {
    options,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- got has checked that it is a function
    request: earlier ? earlier.request : (options.request as GotRequestFunction | undefined),
    redirect,
    trail: {
      ...(earlier?.trail ?? { hops: 0, isCovered: true, added: [] }),
      // An attempt of got's own is another request.
      reasons: (redirect && earlier?.trail.reasons) ?? [],
    },
    url: undefined,
  }
}

function assertGot(options: Partial<GotOptions>): void {
  // The options of got 11 and earlier are plain, and its own functions cannot be had.
  if (options.getRequestFunction && options.createNativeRequestOptions) return
  throw new TypeError(
    '[@svc/auth-hooks] authGot: it works with got 14, 15 and 16, and this is an older one; update got',
  )
}
