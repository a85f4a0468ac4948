import { setTimeout as delay } from 'node:timers/promises'
import type { Arrival } from './http/arrival.ts'
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

/** Creates an exchange, the whole way of a request: recorded, matched with faults, authenticated, routed. */
export function createExchange(service: Service, recorder: Recorder, faults: FaultList): Exchange {
  const { clock } = service.settings
  let requestCount = 0

  const carryOut = async (
    { request, refusal }: Arrival,
    signal: AbortSignal,
  ): Promise<(RouteResult & { readonly now: number }) | undefined> => {
    requestCount += 1
    const requestId = requestCount.toString(16).toUpperCase().padStart(16, '0')
    if (refusal === 'no-room') return { ...refusalResult(refusal, requestId), now: clock() }
    if (isPreflight(request)) {
      const response = preflightResponse(request)
      return { response, auth: { scheme: 'none', ok: true }, now: clock() }
    }
    const fault = faults.take(request)
    if (fault?.kind === 'drop') return undefined
    if (fault?.kind === 'wait') await delay(fault.latencyMs, undefined, { signal })
    const now = clock() + (fault?.kind === 'skew' ? fault.skewMs : 0)
    const result =
      faultResult(fault) ??
      (refusal === undefined
        ? await routeRequest(request, service, now, requestId)
        : refusalResult(refusal, requestId))
    return { ...result, now }
  }

  return async (arrival, signal) => {
    const { request } = arrival
    const finishRecord = recorder.record(request)
    let result: Awaited<ReturnType<typeof carryOut>>
    try {
      result = await carryOut(arrival, signal)
    } finally {
      finishRecord(result && { status: result.response.status, auth: result.auth })
    }
    return result && completeResponse(request, result.response, result.now)
  }
}

function faultResult(fault: FaultStep | undefined): RouteResult | undefined {
  if (fault?.kind !== 'respond') return undefined
  return { response: fault.response, auth: { scheme: 'none', ok: false } }
}

const refusals = {
  'too-large': [413, 'EntityTooLarge', 'The body exceeds maxBodyBytes of the emulator.'],
  'no-room': [503, 'SlowDown', 'The requests under way exceed maxPendingBytes of the emulator.'],
} as const

function refusalResult(refusal: keyof typeof refusals, requestId: string): RouteResult {
  const [status, code, message] = refusals[refusal]
  const response = xmlErrorResponse(status, [
    ['Code', code],
    ['Message', message],
    ['RequestId', requestId],
  ])
  return { response, auth: { scheme: 'none', ok: false, code } }
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
