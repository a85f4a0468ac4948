import type { AuthEvent } from '@svc/types'

/** What {@link emit} needs of a `node:diagnostics_channel`. */
export interface DiagnosticsChannel {
  readonly hasSubscribers: boolean
  publish(event: AuthEvent): void
}

/** Browsers and workers have no diagnostics channel. */
export const diagnostics: DiagnosticsChannel = { hasSubscribers: false, publish: () => {} }
