import { tracingChannel } from 'node:diagnostics_channel'
import { context, type Tracer } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { MeterProvider } from '@opentelemetry/sdk-metrics'
import { type SpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { instrumentAuth } from '@svc/auth-hooks/opentelemetry'

/** Spans go no further: exporters differ. */
const nowhere: SpanProcessor = {
  onStart() {},
  onEnd() {},
  forceFlush: async () => {},
  shutdown: async () => {},
}
const tracerProvider = new TracerProvider({ spanProcessors: [nowhere] })
const meterProvider = new MeterProvider()
const tracer: Tracer = tracerProvider.getTracer('benchmarks')

/** Keeps contexts as Node's SDK does, until the function that it returns is called. */
export function keepContexts(): () => void {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  return () => {
    context.disable()
  }
}

/** Listens to requests and does nothing, until the function that it returns is called. */
export function listenIdly(): () => void {
  const requests = tracingChannel('svc-auth:request')
  const subscribers = { start() {}, end() {}, asyncStart() {}, asyncEnd() {}, error() {} }
  requests.subscribe(subscribers)
  return () => {
    requests.unsubscribe(subscribers)
  }
}

/** Writes spans and metrics, until the function that it returns is called. */
export function listenWithOpenTelemetry(): () => void {
  const stops = [keepContexts(), instrumentAuth({ tracerProvider, meterProvider })]
  return () => {
    for (const stop of stops) stop()
  }
}

/** Runs a request in a span that is written by hand. */
export function inSpan<Result>(run: () => Promise<Result>): Promise<Result> {
  return tracer.startActiveSpan('request', async (span) => {
    try {
      return await run()
    } finally {
      span.end()
    }
  })
}
