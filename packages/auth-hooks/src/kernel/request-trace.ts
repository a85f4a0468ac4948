import type { AuthScheme } from '@svc/types'
import type { Transport } from './exchange.ts'

/** Browsers and workers have no tracing channel, so that nobody listens. */
export const requestTraces: { readonly hasSubscribers: boolean } = { hasSubscribers: false }

/** Carries out a call without a trace. */
export function traceRequest<Watched extends Transport<never, never>, Result>(
  _scheme: AuthScheme,
  transport: Watched,
  _request: unknown,
  run: (transport: Watched) => Promise<Result>,
): Promise<Result> {
  return run(transport)
}
