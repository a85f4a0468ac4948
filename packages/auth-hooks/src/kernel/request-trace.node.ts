import type { AuthScheme, RequestTrace } from '@svc/types'
import { type Draft, quietly } from '../kit/tracing.ts'
import {
  errorCode,
  openTraceChannels,
  runTraced,
  type TraceChannels,
  traceId,
} from '../kit/tracing.node.ts'
import type { Exchanged, Transport } from './exchange.ts'
import type { ExchangeRequest } from './request.ts'

/** The channels of requests. */
export const requestTraces: TraceChannels = openTraceChannels('request')

/**
 * Makes one call of the caller's and publishes its trace.
 *
 * @param run - Carries it out through a transport that looks on.
 */
export function traceRequest<Sent extends ExchangeRequest, Response>(
  scheme: AuthScheme,
  transport: Transport<Sent, Response>,
  { method, url, signal }: Sent,
  run: (watched: Transport<Sent, Response>) => Promise<Exchanged<Sent, Response>>,
): Promise<Exchanged<Sent, Response>> {
  const trace: Draft<RequestTrace> = {
    id: traceId(),
    scheme: scheme.name,
    origin: url.origin,
    method,
    attempts: 0,
    redirects: 0,
  }
  const watched: Transport<Sent, Response> = {
    ...transport,
    send(request, authorization) {
      quietly(() => {
        trace.attempts += 1
        if (authorization) trace.scheme = authorization.scheme
      })
      return transport.send(request, authorization)
    },
    responseHead(response, request) {
      const head = transport.responseHead(response, request)
      quietly(() => (trace.status = head.status))
      return head
    },
    redirected(request, changes) {
      quietly(() => (trace.redirects += 1))
      return transport.redirected(request, changes)
    },
  }
  return runTraced(
    requestTraces,
    trace,
    () => run(watched),
    (settled) => {
      if (settled.status === 'fulfilled') {
        trace.outcome = 'response'
        return
      }
      trace.outcome = signal?.aborted ? 'aborted' : 'failed'
      const code = errorCode(settled.reason)
      if (code !== undefined) trace.code = code
    },
  )
}
