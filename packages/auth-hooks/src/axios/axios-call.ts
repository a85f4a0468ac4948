import type { InternalAxiosRequestConfig } from 'axios'
import type { AxiosLibrary } from './library.ts'

/** What may end a call of the caller's early. */
export interface AxiosCall {
  /** Where the caller has a signal, a cancel token or a timeout: all of them. */
  readonly signal: AbortSignal | undefined
  /** Ends the `timeout`: the head of the answer is there. */
  readonly answered: () => void
  /** Lets go of what the caller gave. */
  readonly release: () => void
}

/** Joins the signal, the cancel token and the timeout of a configuration. */
export function openCall(
  { AxiosError }: AxiosLibrary,
  config: InternalAxiosRequestConfig,
): AxiosCall {
  const { signal, cancelToken } = config
  // axios takes a text for it too.
  const timeoutMs = Number.parseInt(String(config.timeout), 10)
  if (!signal && !cancelToken && !(timeoutMs > 0)) {
    return { signal: undefined, answered: () => {}, release: () => {} }
  }
  const controller = new AbortController()
  const cancel = (reason: unknown): void => controller.abort(reason)
  const abort = (): void => controller.abort(signal instanceof AbortSignal && signal.reason)
  const timeOut = (): void => {
    const { ETIMEDOUT, ECONNABORTED } = AxiosError
    const message = config.timeoutErrorMessage ?? `timeout of ${config.timeout}ms exceeded`
    const code = config.transitional?.clarifyTimeoutError ? ETIMEDOUT : ECONNABORTED
    controller.abort(new AxiosError(message, code, config))
  }
  if (signal?.aborted) abort()
  signal?.addEventListener?.('abort', abort)
  cancelToken?.subscribe(cancel)
  const timer = timeoutMs > 0 ? setTimeout(timeOut, timeoutMs) : undefined
  const answered = (): void => clearTimeout(timer)
  return {
    signal: controller.signal,
    answered,
    release() {
      answered()
      signal?.removeEventListener?.('abort', abort)
      cancelToken?.unsubscribe(cancel)
    },
  }
}
