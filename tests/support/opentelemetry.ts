import { context, ROOT_CONTEXT, type Tracer, type TracerProvider } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  type MetricData,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import {
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
  TracerProvider as SdkTracerProvider,
} from '@opentelemetry/sdk-trace'
import { instrumentAuth } from '@svc/auth-hooks/opentelemetry'
import { onTestFinished } from 'vitest'

/** The SDK of OpenTelemetry with exporters in memory, and what listens to ours. */
export interface OpenTelemetry {
  readonly tracerProvider: TracerProvider
  readonly meterProvider: MeterProvider
  /** Runs a caller under a span of its own. */
  readonly under: <T>(name: string, run: () => Promise<T>) => Promise<T>
  /** Returns the spans that have ended. */
  readonly spans: () => ReadableSpan[]
  /** Resolves to the metrics that were recorded so far, by their names. */
  readonly metrics: () => Promise<ReadonlyMap<string, MetricData>>
  /** Ends it before the test does. */
  readonly stop: () => void
}

/** Starts it until the test ends. */
export function startOpenTelemetry(): OpenTelemetry {
  const exporter = new InMemorySpanExporter()
  const tracerProvider = new SdkTracerProvider({
    spanProcessors: [new SimpleSpanProcessor({ exporter })],
  })
  const measured = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const meterProvider = new MeterProvider({
    readers: [new PeriodicExportingMetricReader({ exporter: measured })],
  })
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  const stop = instrumentAuth({ tracerProvider, meterProvider })
  onTestFinished(async () => {
    stop()
    context.disable()
    await Promise.all([tracerProvider.shutdown(), meterProvider.shutdown()])
  })
  const tracer: Tracer = tracerProvider.getTracer('caller')
  return {
    tracerProvider,
    meterProvider,
    stop,
    under: (name, run) =>
      context.with(ROOT_CONTEXT, () =>
        tracer.startActiveSpan(name, async (span) => {
          try {
            return await run()
          } finally {
            span.end()
          }
        }),
      ),
    spans: () => exporter.getFinishedSpans(),
    async metrics() {
      await meterProvider.forceFlush()
      const scopes = measured.getMetrics().at(-1)?.scopeMetrics ?? []
      return new Map(
        scopes.flatMap(({ metrics }) => metrics.map((data) => [data.descriptor.name, data])),
      )
    },
  }
}

/** Returns the spans of a name. */
export function named(spans: readonly ReadableSpan[], name: string): ReadableSpan[] {
  return spans.filter((span) => span.name === name)
}

/** Draws spans as a tree, each with its status or outcome, in the order of their beginnings. */
export function drawSpans(spans: readonly ReadableSpan[]): string {
  const ids = new Set(spans.map((span) => span.spanContext().spanId))
  const ordered = [...spans].sort(
    (one, other) => one.startTime[0] - other.startTime[0] || one.startTime[1] - other.startTime[1],
  )
  const childrenOf = (parent: string | undefined): ReadableSpan[] =>
    ordered.filter(({ parentSpanContext: { spanId } = { spanId: '' } }) =>
      parent === undefined ? !ids.has(spanId) : spanId === parent,
    )
  const draw = (span: ReadableSpan, first: string, rest: string): string[] => {
    const children = childrenOf(span.spanContext().spanId)
    return [
      `${first}${labelOf(span)}`,
      ...children.flatMap((child, index) =>
        index === children.length - 1
          ? draw(child, `${rest}└─ `, `${rest}   `)
          : draw(child, `${rest}├─ `, `${rest}│  `),
      ),
    ]
  }
  return childrenOf(undefined)
    .flatMap((span) => draw(span, '', ''))
    .join('\n')
}

function labelOf({ name, attributes }: ReadableSpan): string {
  const {
    'http.response.status_code': status,
    'svc_auth.outcome': outcome,
    'http.request.resend_count': resends,
  } = attributes
  const result =
    typeof status === 'number' ? ` ${status}` : typeof outcome === 'string' ? ` ${outcome}` : ''
  return `${name}${result}${typeof resends === 'number' ? ` after ${resends} resend` : ''}`
}
