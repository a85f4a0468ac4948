import type { AuthEvent } from '@svc/types'

/** The part of a `node:diagnostics_channel` that {@link emit} uses. */
export interface DiagnosticsChannel {
  readonly hasSubscribers: boolean
  publish(event: AuthEvent): void
}

/** Browsers and workers have no diagnostics channel. */
export const diagnostics: DiagnosticsChannel = { hasSubscribers: false, publish: () => {} }
