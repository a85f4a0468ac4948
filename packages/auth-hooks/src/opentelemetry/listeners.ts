import {
  type Attributes,
  context,
  createContextKey,
  type Histogram,
  type Meter,
  type MeterProvider,
  type MetricOptions,
  metrics,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
  type TracerProvider,
  ValueType,
} from '@opentelemetry/api'
import type { AuthEvent, AuthTrace, LoginTrace, LoginWait, RequestTrace } from '@svc/types'
import { quietly } from '../kit/tracing.ts'

/** The name of the instrumentation, as tracers and meters are asked for it. */
const scopeName = '@svc/auth-hooks'

/** Listeners of the channels, by their names. Each may throw where a tracer or a meter does. */
interface Listeners {
  'tracing:svc-auth:login:start'?(login: LoginTrace): void
  'tracing:svc-auth:login:asyncEnd'?(login: LoginTrace): void
  'tracing:svc-auth:request:start'?(request: RequestTrace): void
  'tracing:svc-auth:request:asyncEnd'?(request: RequestTrace): void
  'svc-auth:login:wait'?(wait: LoginWait): void
  'svc-auth'?(event: AuthEvent): void
}

const knownMethods: ReadonlySet<string> = new Set(
  'CONNECT DELETE GET HEAD OPTIONS PATCH POST PUT QUERY TRACE'.split(' '),
)

/** Returns the attributes of the server and the scheme. A path may be personal, and a query secret: neither is one. */
function authAttributes({ origin, scheme }: Pick<AuthTrace, 'origin' | 'scheme'>): Attributes {
  const { hostname, port, protocol } = new URL(origin)
  const isSecure = protocol === 'https:'
  return {
    'server.address': hostname,
    'server.port': Number(port) || (isSecure ? 443 : 80),
    'url.scheme': isSecure ? 'https' : 'http',
    'svc_auth.scheme': scheme,
  }
}

function requestAttributes(request: RequestTrace): Attributes {
  const method = knownMethods.has(request.method) ? request.method : '_OTHER'
  return { 'http.request.method': method, ...authAttributes(request) }
}

/** Returns the attributes of the end, which a metric may have too: there are few values of each. */
function endAttributes(traced: LoginTrace | RequestTrace): Attributes {
  const type = errorType(traced)
  return {
    'svc_auth.outcome': traced.outcome,
    ...(traced.status !== undefined && { 'http.response.status_code': traced.status }),
    ...(type !== undefined && { 'error.type': type }),
  }
}

/**
 * Returns the class of an error, `undefined` if there is none. A status that the caller got is its own class.
 *
 * @see https://opentelemetry.io/docs/specs/semconv/http/http-spans/
 */
function errorType({ outcome, code, status = 0 }: LoginTrace | RequestTrace): string | undefined {
  if (outcome === 'failed' || outcome === 'paused') return code ?? '_OTHER'
  if (outcome === 'aborted') return outcome
  return status >= 400 ? String(status) : undefined
}

const ownSpan = createContextKey('svc-auth.span')

/** Returns listeners that write spans. */
export function spanListeners(provider: TracerProvider | undefined): Listeners {
  const tracer = (provider ?? trace).getTracer(scopeName)
  const spans = new WeakMap<AuthTrace, Span>()
  const logins = new Map<string, SpanContext>()

  const start = (name: string, traced: AuthTrace, attributes: Attributes): Span => {
    const parent = context.active()
    // The clients of HTTP have spans of their own, of which this is the parent.
    const span = tracer.startSpan(name, { kind: SpanKind.INTERNAL, attributes }, parent)
    spans.set(traced, span)
    const inside = trace.setSpan(parent, span).setValue(ownSpan, span)
    const { runInside = (run) => run() } = traced
    traced.runInside = (run) => context.with(inside, () => runInside(run))
    return span
  }

  const end = (traced: LoginTrace | RequestTrace, attributes: Attributes): void => {
    const span = spans.get(traced)
    // One that had begun before anybody listened.
    if (!span) return
    spans.delete(traced)
    quietly(() => {
      const all = { ...attributes, ...endAttributes(traced) }
      span.setAttributes(all)
      if (all['error.type'] !== undefined) span.setStatus({ code: SpanStatusCode.ERROR })
    })
    span.end()
  }

  return {
    'tracing:svc-auth:login:start'(login) {
      const span = start('svc_auth.login', login, authAttributes(login))
      logins.set(login.id, span.spanContext())
    },
    'tracing:svc-auth:login:asyncEnd'(login) {
      logins.delete(login.id)
      end(login, {})
    },
    /** Links the span of the call that waits to that of the login. */
    'svc-auth:login:wait'({ id }) {
      const span = context.active().getValue(ownSpan) as Span | undefined
      const login = logins.get(id)
      if (!span || !login) return
      // Not before version 1.9 of the interface.
      span.addLink?.({ context: login, attributes: { 'svc_auth.link': 'login' } })
    },
    'tracing:svc-auth:request:start'(request) {
      start('svc_auth.request', request, requestAttributes(request))
    },
    'tracing:svc-auth:request:asyncEnd'(request) {
      const { attempts, redirects, scheme } = request
      end(request, {
        'svc_auth.scheme': scheme,
        ...(attempts > 1 && { 'http.request.resend_count': attempts - 1 }),
        ...(redirects > 0 && { 'svc_auth.redirects': redirects }),
      })
    },
  }
}

/**
 * A duration as those of HTTP clients: their own `http.client.request.duration` is left to the instrumentations of
 * these, which know each attempt.
 *
 * @see https://opentelemetry.io/docs/specs/semconv/http/http-metrics/#metric-httpclientrequestduration
 */
const duration: MetricOptions = {
  unit: 's',
  valueType: ValueType.DOUBLE,
  advice: {
    explicitBucketBoundaries: [
      0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
    ],
  },
}

/** Returns listeners that measure what is over. */
export function measurementListeners(provider: MeterProvider | undefined): Listeners {
  const measured = createInstruments((provider ?? metrics).getMeter(scopeName))
  return {
    'tracing:svc-auth:login:asyncEnd': (login) =>
      record(measured.logins, login, authAttributes(login)),
    'tracing:svc-auth:request:asyncEnd': (request) =>
      record(measured.requests, request, requestAttributes(request)),
    'svc-auth'(event) {
      if (event.type === 'login.paused') measured.pauses.add(1, authAttributes(event))
      if (event.type === 'token.rejected') measured.rejections.add(1, authAttributes(event))
      if (event.type === 'clock.adjusted') measured.corrections.add(1, authAttributes(event))
    },
  }
}

function createInstruments(meter: Meter) {
  return {
    requests: meter.createHistogram('svc_auth.request.duration', {
      ...duration,
      description: 'Duration of authenticated requests, with logins, retries and redirects.',
    }),
    logins: meter.createHistogram('svc_auth.login.duration', {
      ...duration,
      description: 'Duration of logins, with the wait for the token store.',
    }),
    pauses: meter.createCounter('svc_auth.login.pauses', {
      unit: '{pause}',
      description: 'Pauses after failed logins.',
    }),
    rejections: meter.createCounter('svc_auth.token.rejections', {
      unit: '{rejection}',
      description: 'Tokens that the service refused.',
    }),
    corrections: meter.createCounter('svc_auth.clock.corrections', {
      unit: '{correction}',
      description: 'Corrections by the clock of a service.',
    }),
  }
}

function record(
  histogram: Histogram,
  ended: LoginTrace | RequestTrace,
  attributes: Attributes,
): void {
  histogram.record((ended.durationMs ?? 0) / 1000, { ...attributes, ...endAttributes(ended) })
}
