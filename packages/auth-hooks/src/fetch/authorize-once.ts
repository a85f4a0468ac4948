import type { Authorization, AuthScheme, OutgoingRequest } from '@svc/types'
import { untilAborted } from '../kit/async.ts'
import { type FrozenRequest, outgoing } from '../kernel/request.ts'

/** Asks a scheme about one attempt of a request, no longer than the request's signal allows. */
export function authorizeOnce(
  scheme: AuthScheme,
  request: FrozenRequest,
  attempt: number,
  reason: OutgoingRequest['reason'],
): Promise<Authorization> {
  const authorization = scheme.authorize(outgoing(request, attempt, reason))
  return untilAborted(Promise.resolve(authorization), request.signal)
}
