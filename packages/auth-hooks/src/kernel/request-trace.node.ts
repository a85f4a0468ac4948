import type { AuthScheme, RequestTrace } from '@svc/types'
import type { Draft } from '../kit/tracing.ts'
import { openTraceChannels, runTraced, type TraceChannels } from '../kit/tracing.node.ts'
import type { Transport } from './exchange.ts'
import type { ExchangeRequest } from './request.ts'

export const requestTraces: TraceChannels = openTraceChannels('request')

/** Publishes the trace of one call; `run` carries it out through a transport that looks on. */
export function traceRequest<Sent extends ExchangeRequest, Response>(
  scheme: AuthScheme,
  transport: Transport<Sent, Response>,
  { method, url, signal }: Sent,
  run: (watched: Transport<Sent, Response>) => Promise<Response>,
): Promise<Response> {
  const trace: Draft<RequestTrace> = {
    id: crypto.randomUUID(),
    scheme: scheme.name,
    origin: url.origin,
    method,
    attempts: 0,
    redirects: 0,
  }
  const watched: Transport<Sent, Response> = {
    ...transport,
    send(request, authorization) {
      trace.attempts += 1
      if (authorization) trace.scheme = authorization.scheme
      return transport.send(request, authorization)
    },
    responseHead(response, request) {
      const head = transport.responseHead(response, request)
      trace.status = head.status
      return head
    },
    redirected(request, changes) {
      trace.redirects += 1
      return transport.redirected(request, changes)
    },
  }
  return runTraced(
    requestTraces,
    trace,
    () => run(watched),
    ({ status }) => {
      const failure = signal?.aborted ? 'aborted' : 'failed'
      trace.outcome = status === 'fulfilled' ? 'response' : failure
    },
  )
}
