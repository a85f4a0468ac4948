import { setTimeout as delay } from 'node:timers/promises'
import { corsHeaders, isPreflight, preflightResponse } from './http/cors.ts'
import type { FaultList, FaultStep } from './http/faults.ts'
import type { Recorder } from './http/recorder.ts'
import type { RawRequest } from './http/request.ts'
import {
  type EmulatorResponse,
  hasNoContent,
  type RouteResult,
  xmlErrorResponse,
} from './http/response.ts'
import { routeRequest, type Service } from './routes.ts'

/**
 * One request and its response; `undefined` if the connection is to be dropped. Rejects only when
 * `signal` ends a latency.
 */
export type Exchange = (
  arrival: Arrival,
  signal: AbortSignal,
) => Promise<EmulatorResponse | undefined>

/** A request whose body may have been too large to read. */
interface Arrival {
  readonly request: RawRequest
  readonly isTooLarge: boolean
}

/** Creates an exchange, the whole way of a request: recorded, matched with faults, authenticated, routed. */
export function createExchange(service: Service, recorder: Recorder, faults: FaultList): Exchange {
  const { clock } = service.settings
  let requestCount = 0
  return async ({ request, isTooLarge }, signal) => {
    const finishRecord = recorder.record(request)
    requestCount += 1
    const requestId = requestCount.toString(16).toUpperCase().padStart(16, '0')
    if (isPreflight(request)) {
      const response = preflightResponse(request)
      finishRecord({ status: response.status, auth: { scheme: 'none', ok: true } })
      return completeResponse(request, response, clock())
    }
    const fault = faults.take(request)
    if (fault?.kind === 'drop') return undefined
    if (fault?.kind === 'wait') await delay(fault.latencyMs, undefined, { signal })
    const now = clock() + (fault?.kind === 'skew' ? fault.skewMs : 0)
    const { response, auth } =
      faultResult(fault) ??
      (isTooLarge
        ? tooLargeResult(requestId)
        : await routeRequest(request, service, now, requestId))
    finishRecord({ status: response.status, auth })
    return completeResponse(request, response, now)
  }
}

function faultResult(fault: FaultStep | undefined): RouteResult | undefined {
  if (fault?.kind !== 'respond') return undefined
  return { response: fault.response, auth: { scheme: 'none', ok: false } }
}

function tooLargeResult(requestId: string): RouteResult {
  const response = xmlErrorResponse(413, [
    ['Code', 'EntityTooLarge'],
    ['Message', 'The body exceeds maxBodyBytes of the emulator.'],
    ['RequestId', requestId],
  ])
  return { response, auth: { scheme: 'none', ok: false, code: 'EntityTooLarge' } }
}

function completeResponse(
  request: RawRequest,
  response: EmulatorResponse,
  now: number,
): EmulatorResponse {
  const noContent = hasNoContent(response.status)
  return {
    status: response.status,
    headers: {
      // Node would send its own clock's, and an injected clock would not be seen.
      date: new Date(now).toUTCString(),
      ...corsHeaders(response),
      ...(noContent ? {} : { 'content-length': String(response.body.byteLength) }),
      ...response.headers,
    },
    body: noContent || request.method === 'HEAD' ? new Uint8Array() : response.body,
  }
}
