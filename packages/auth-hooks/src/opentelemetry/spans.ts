import {
  type Attributes,
  context,
  createContextKey,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
  type TracerProvider,
} from '@opentelemetry/api'
import type { AuthTrace, LoginTrace, LoginWait, RequestTrace } from '@svc/types'
import { quietly } from '../kit/tracing.ts'
import { authAttributes, endAttributes, requestAttributes, scopeName } from './attributes.ts'

/** Writes spans of what is traced. Each of its functions may throw where a tracer does. */
export interface SpanWriter {
  readonly loginStarted: (login: LoginTrace) => void
  readonly loginEnded: (login: LoginTrace) => void
  /** Links the span of the call that waits to that of the login. */
  readonly loginAwaited: (wait: LoginWait) => void
  readonly requestStarted: (request: RequestTrace) => void
  readonly requestEnded: (request: RequestTrace) => void
}

const ownSpan = createContextKey('svc-auth.span')

/** Returns a writer that asks its provider for a tracer once there is something to trace. */
export function createSpanWriter(provider: TracerProvider | undefined): SpanWriter {
  let tracer: Tracer | undefined
  const spans = new WeakMap<AuthTrace, Span>()
  const logins = new Map<string, SpanContext>()

  const start = (name: string, traced: AuthTrace, attributes: Attributes): Span => {
    tracer ??= (provider ?? trace).getTracer(scopeName)
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
    loginStarted(login) {
      const span = start('svc_auth.login', login, authAttributes(login))
      logins.set(login.id, span.spanContext())
    },
    loginEnded(login) {
      logins.delete(login.id)
      end(login, {})
    },
    loginAwaited({ id }) {
      const span = context.active().getValue(ownSpan) as Span | undefined
      const login = logins.get(id)
      if (!span || !login) return
      // Not before version 1.9 of the interface.
      span.addLink?.({ context: login, attributes: { 'svc_auth.link': 'login' } })
    },
    requestStarted(request) {
      start('svc_auth.request', request, requestAttributes(request))
    },
    requestEnded(request) {
      const { attempts, redirects, scheme } = request
      end(request, {
        'svc_auth.scheme': scheme,
        ...(attempts > 1 && { 'http.request.resend_count': attempts - 1 }),
        ...(redirects > 0 && { 'svc_auth.redirects': redirects }),
      })
    },
  }
}
