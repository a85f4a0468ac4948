/**
 * Spans and metrics of logins and requests, for OpenTelemetry. Needs `@opentelemetry/api` 1.3 or later.
 *
 * @module @svc/auth-hooks/opentelemetry
 */

import { channel } from 'node:diagnostics_channel'
import type { MeterProvider, TracerProvider } from '@opentelemetry/api'
import { check, checkOptions } from '../kit/checks.ts'
import { quietly } from '../kit/tracing.ts'
import { measurementListeners, spanListeners } from './listeners.ts'

/** Options of {@link instrumentAuth}. */
export interface InstrumentAuthOptions {
  /**
   * The provider of the tracer.
   *
   * @default the global one
   */
  tracerProvider?: TracerProvider | undefined
  /**
   * The provider of the meter.
   *
   * @default the global one
   */
  meterProvider?: MeterProvider | undefined
}

/**
 * Writes spans and metrics of the logins and requests of all schemes and adapters in the process, until the function
 * that it returns is called. Call it once, after the SDK has started.
 *
 * A request has a span `svc_auth.request` under that of its caller, and a login a span `svc_auth.login` under that of
 * the request that began it; the spans of other requests that wait for it link to it. Both are internal spans: those of
 * `@opentelemetry/instrumentation-undici` and `-http`, one for each attempt, are their children. No attribute holds a
 * path, a query, a header, a body, a message or a credential. A tracer or a meter that throws changes no request.
 *
 * @returns A function that ends it. Spans that are still open then stay so.
 * @throws TypeError if an option is wrong; the message names it.
 * @example
 * import { instrumentAuth } from '@svc/auth-hooks/opentelemetry'
 *
 * const stop = instrumentAuth()
 * stop()
 * @see https://opentelemetry.io/docs/specs/semconv/http/
 */
export function instrumentAuth(options: InstrumentAuthOptions = {}): () => void {
  const names = { tracerProvider: 'tracer', meterProvider: 'meter' }
  const { tracerProvider, meterProvider } = checkOptions(options, caller, names)
  const isTracing = !tracerProvider || typeof tracerProvider.getTracer === 'function'
  check(isTracing, caller, 'tracerProvider must be a TracerProvider')
  const isMetering = !meterProvider || typeof meterProvider.getMeter === 'function'
  check(isMetering, caller, 'meterProvider must be a MeterProvider')

  const listeners = [measurementListeners(meterProvider), spanListeners(tracerProvider)]
  const stops = listeners.flatMap(Object.entries).map(([name, listener]) => listen(name, listener))
  return () => {
    for (const stop of stops) stop()
  }
}

const caller = '[@svc/auth-hooks] instrumentAuth'

/** Calls a listener with each message of a channel. One that throws keeps it from no other, and from no caller. */
function listen(name: string, listener: (message: unknown) => void): () => void {
  const messages = channel(name)
  const publish = (message: unknown): void => quietly(() => listener(message))
  messages.subscribe(publish)
  return () => {
    messages.unsubscribe(publish)
  }
}
