import { beginLoginTrace, diagnostics } from '#platform'
import type { AuthEvent } from '@svc/types'
import { isThenable } from './async.ts'
import type { LoginStart, TracedLogin } from './tracing.ts'

/**
 * Sends an event to an observer and to the `svc-auth` diagnostics channel. The event is built only
 * if someone listens. Errors and rejections of the observer are ignored.
 */
export function emit(
  onEvent: ((event: AuthEvent) => unknown) | undefined,
  build: () => AuthEvent,
): void {
  const heard = diagnostics?.hasSubscribers ? diagnostics : undefined
  if (!onEvent && !heard) return
  const event = build()
  heard?.publish(event)
  try {
    const result = onEvent?.(event)
    if (isThenable(result)) result.then(undefined, () => {})
  } catch {
    // An observer is not part of the request.
  }
}

/**
 * Begins the trace of a login on the tracing channel `svc-auth:login` of `node:diagnostics_channel`. Returns `undefined`
 * if there is no subscriber: the login runs untraced.
 */
export function traceLogin(about: LoginStart): TracedLogin | undefined {
  return beginLoginTrace(about)
}
