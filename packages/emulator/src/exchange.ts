import { setTimeout as delay } from 'node:timers/promises'
import { hasNoContent, xmlErrorAnswer, type Answer } from './http/response.ts'
import { answerPreflight, corsHeaders, isPreflight } from './http/cors.ts'
import type { FaultList, FaultStep } from './http/faults.ts'
import type { Outcome } from './http/response.ts'
import type { RawRequest } from './http/request.ts'
import type { Recorder } from './http/recorder.ts'
import { route, type Service } from './routes.ts'

/** A request whose body may have been too large to read. */
export interface Arrival {
  readonly request: RawRequest
  readonly isTooLarge: boolean
}

/**
 * One request and its answer; `undefined` where the connection is to be dropped. Rejects only when
 * `signal` ends a latency.
 */
export type Exchange = (arrival: Arrival, signal: AbortSignal) => Promise<Answer | undefined>

/** The whole way of a request: recorded, met by a fault, authenticated, answered. */
export function createExchange(service: Service, recorder: Recorder, faults: FaultList): Exchange {
  const { clock } = service.settings
  let requestCount = 0
  return async ({ request, isTooLarge }, signal) => {
    const complete = recorder.add(request)
    requestCount += 1
    const requestId = requestCount.toString(16).toUpperCase().padStart(16, '0')
    if (isPreflight(request)) {
      const answer = answerPreflight(request)
      complete({ status: answer.status, auth: { scheme: 'none', ok: true } })
      return finish(request, answer, clock())
    }
    const fault = faults.take(request)
    if (fault?.kind === 'drop') return undefined
    if (fault?.kind === 'wait') await delay(fault.latencyMs, undefined, { signal })
    const now = clock() + (fault?.kind === 'skew' ? fault.skewMs : 0)
    const { answer, auth } =
      answeredByFault(fault) ??
      (isTooLarge ? tooLarge(requestId) : await route(request, service, now, requestId))
    complete({ status: answer.status, auth })
    return finish(request, answer, now)
  }
}

function answeredByFault(fault: FaultStep | undefined): Outcome | undefined {
  if (fault?.kind !== 'answer') return undefined
  return { answer: fault.answer, auth: { scheme: 'none', ok: false } }
}

function tooLarge(requestId: string): Outcome {
  const answer = xmlErrorAnswer(413, [
    ['Code', 'EntityTooLarge'],
    ['Message', 'The body exceeds maxBodyBytes of the emulator.'],
    ['RequestId', requestId],
  ])
  return { answer, auth: { scheme: 'none', ok: false, code: 'EntityTooLarge' } }
}

function finish(request: RawRequest, answer: Answer, now: number): Answer {
  const noContent = hasNoContent(answer.status)
  return {
    status: answer.status,
    headers: {
      // Node would send its own clock's, and an injected clock would not be seen.
      date: new Date(now).toUTCString(),
      ...corsHeaders(answer),
      ...(noContent ? {} : { 'content-length': String(answer.body.byteLength) }),
      ...answer.headers,
    },
    body: noContent || request.method === 'HEAD' ? new Uint8Array() : answer.body,
  }
}
