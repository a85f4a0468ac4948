import { exchange } from '../kernel/exchange.ts'
import type { RedirectResponse } from '../kernel/redirect.ts'
import { abortable, assertNotAborted } from '../kit/async.ts'
import { AuthError } from '../kit/errors.ts'
import { emit } from '../kit/events.ts'
import { retryAfterMs } from '../kit/retry-after.ts'
import type { RetrySettings } from './options.ts'

/**
 * Returns an exchange that is made again where that may help. Each one is whole: authorized anew, with its own
 * redirects, and with the replay that its scheme may ask for.
 */
export function withRetries(settings: RetrySettings): typeof exchange {
  return async (scheme, exchangeSettings, transport, request) => {
    const { method, url, signal, body } = request
    const mayRepeat = settings.methods.includes(method) && body?.replayable !== false
    const limit = mayRepeat ? settings.limit : 0
    let head: RedirectResponse | undefined
    const errors = new Set<unknown>()
    const watched: typeof transport = {
      ...transport,
      async send(...given) {
        head = undefined
        try {
          return await transport.send(...given)
        } catch (error) {
          errors.add(error)
          throw error
        }
      },
      responseHead: (...given) => (head = transport.responseHead(...given)),
    }
    for (let retry = 1; retry <= limit; retry += 1) {
      let delayMs: number | undefined
      try {
        const response = await exchange(scheme, exchangeSettings, watched, request)
        delayMs = delayAfter(head, settings, retry)
        if (delayMs === undefined) return response
        transport.discard(response)
      } catch (error) {
        // Any other error is the scheme's, which has rules of its own for a login that fails.
        const isBroken = errors.has(error) && !AuthError.is(error)
        if (!isBroken || Object(error).name === 'AbortError') throw error
        delayMs = backOffMs(settings, retry)
      }
      await wait(delayMs, settings, signal)
      emit(exchangeSettings.onEvent, () => ({
        type: 'request.retried',
        scheme: scheme.name,
        origin: url.origin,
        method,
        retry,
        ...(head && { status: head.status }),
        delayMs,
      }))
    }
    return exchange(scheme, exchangeSettings, transport, request)
  }
}

/** Returns the wait before a retry, in milliseconds, or `undefined` if the response is the one to return. */
function delayAfter(
  head: RedirectResponse | undefined,
  settings: RetrySettings,
  retry: number,
): number | undefined {
  if (!head || !settings.statuses.includes(head.status)) return undefined
  const date = Date.parse(head.headers.get('date') ?? '')
  const now = Number.isNaN(date) ? settings.clock() : date
  const askedMs = retryAfterMs(head.headers, now) ?? 0
  // Sooner, it would be refused again.
  if (askedMs > settings.maxDelayMs) return undefined
  return Math.min(settings.maxDelayMs, askedMs + backOffMs(settings, retry))
}

/** Returns a random part of the longest wait before a retry, which is called full jitter. */
function backOffMs({ baseDelayMs, maxDelayMs, random }: RetrySettings, retry: number): number {
  return random() * Math.min(maxDelayMs, baseDelayMs * 2 ** Math.min(retry - 1, 31))
}

async function wait(
  ms: number,
  { after }: RetrySettings,
  signal: AbortSignal | undefined,
): Promise<void> {
  assertNotAborted(signal)
  let cancel: (() => void) | undefined
  const over = new Promise<void>((resolve) => {
    cancel = after(ms, resolve)
  })
  await abortable(over, signal).finally(cancel)
}
