import { diagnostics } from '#diagnostics'
import type { AuthEvent } from '@svc/types'

/**
 * Tells an observer and the diagnostics channel `svc-auth` of an event. The event is built only
 * where somebody listens, and an observer that throws or rejects changes nothing.
 *
 * @example
 * import type { AuthEvent } from '@svc/auth-hooks'
 * import { emit } from '@svc/auth-hooks/scheme'
 *
 * declare const onEvent: ((event: AuthEvent) => void) | undefined
 * const origin = 'https://search.example.com'
 * emit(onEvent, () => ({ type: 'login.start', scheme: 'my-scheme', origin }))
 * @see https://nodejs.org/api/diagnostics_channel.html
 */
export function emit(
  onEvent: ((event: AuthEvent) => unknown) | undefined,
  build: () => AuthEvent,
): void {
  if (!onEvent && !diagnostics.hasSubscribers) return
  const event = build()
  if (diagnostics.hasSubscribers) diagnostics.publish(event)
  try {
    const result = onEvent?.(event)
    if (result instanceof Promise) result.catch(() => {})
  } catch {
    // An observer is not part of the request.
  }
}
