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
        delayMs = delayOf(askedByResponse(settings, head), settings, retry)
        if (delayMs === undefined) return response
        transport.discard(response)
      } catch (error) {
        delayMs = delayOf(askedByError(error, errors.has(error), settings), settings, retry)
        if (delayMs === undefined) throw error
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

/** Returns the wait that a response asks for, in milliseconds; `undefined` if it is the one to return. */
function askedByResponse(settings: RetrySettings, head?: RedirectResponse): number | undefined {
  if (!head || !settings.statuses.includes(head.status)) return undefined
  const date = Date.parse(head.headers.get('date') ?? '')
  return retryAfterMs(head.headers, Number.isNaN(date) ? settings.clock() : date) ?? 0
}

/** Returns the wait until another login may be made, if the service was away for the last; `undefined` if an error is final. */
function askedByError(
  error: unknown,
  isOfSending: boolean,
  { clock, statuses }: RetrySettings,
): number | undefined {
  const isOwn = AuthError.is(error)
  if (isOfSending) return isOwn || Object(error).name === 'AbortError' ? undefined : 0
  if (!isOwn || !error.code.startsWith('ERR_AUTH_LOGIN_')) return undefined
  const { code, status = 0, retryAt = 0 } = error
  // Another status may be a refusal of the credentials.
  const isBusy = (status >= 500 || status === 408 || status === 429) && statuses.includes(status)
  return isBusy || code === 'ERR_AUTH_LOGIN_NETWORK' ? Math.max(0, retryAt - clock()) : undefined
}

/** Returns the wait before a retry: what is asked for, and a random part of the longest, which is called full jitter. */
function delayOf(
  askedMs: number | undefined,
  { baseDelayMs, maxDelayMs, random }: RetrySettings,
  retry: number,
): number | undefined {
  // Sooner, it would be refused again.
  if (askedMs === undefined || askedMs > maxDelayMs) return undefined
  const longestMs = Math.min(maxDelayMs, baseDelayMs * 2 ** Math.min(retry - 1, 31))
  return Math.min(maxDelayMs, askedMs + random() * longestMs)
}

async function wait(ms: number, { after }: RetrySettings, signal?: AbortSignal): Promise<void> {
  assertNotAborted(signal)
  let cancel: (() => void) | undefined
  const over = new Promise<void>((resolve) => {
    cancel = after(ms, resolve)
  })
  await abortable(over, signal).finally(cancel)
}
