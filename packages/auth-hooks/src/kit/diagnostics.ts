import type { AuthEvent } from '@svc/types'

/** The part of a `node:diagnostics_channel` that {@link emit} uses. */
export interface DiagnosticsChannel {
  readonly hasSubscribers: boolean
  publish(event: AuthEvent): void
}

/** A channel without subscribers, for browsers and workers, which have no diagnostics channel. */
export const diagnostics: DiagnosticsChannel = { hasSubscribers: false, publish: () => {} }
