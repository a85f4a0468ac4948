import { channel } from 'node:diagnostics_channel'
import {
  type Context,
  context,
  type ContextManager,
  type Meter,
  type MeterProvider,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
  type TracerProvider,
} from '@opentelemetry/api'
import { authFetch } from '@svc/auth-hooks'
import { instrumentAuth } from '@svc/auth-hooks/opentelemetry'
import { emit, traceLogin } from '@svc/auth-hooks/scheme'
import { describe, expect, onTestFinished, test } from 'vitest'
import { named, startOpenTelemetry } from '../../../../tests/support/opentelemetry.ts'
import { recordingScheme, rejects401 } from '../support/schemes.ts'

const origin = 'https://a.example'

/** Sends through a scheme whose request waits for a login, to a server that responds with these statuses. */
function call(statuses: readonly number[] = [200], method = 'GET') {
  const calls = { logins: 0, requests: 0 }
  const scheme = recordingScheme([origin], () => ({ review: rejects401 }))
  const logIn = async (): Promise<string> => {
    calls.logins += 1
    await Promise.resolve()
    return 'hidden-token'
  }
  const fetch = async (): Promise<Response> => {
    const status = statuses[calls.requests] ?? 200
    calls.requests += 1
    return new Response(null, { status })
  }
  const loggingIn = {
    ...scheme,
    async authorize(request: Parameters<typeof scheme.authorize>[0]) {
      const traced = traceLogin({ scheme: 'recording', origin })
      const login = traced ? traced.run(logIn, () => 'issued') : logIn()
      // As a second call would.
      traced?.awaited()
      await login
      return scheme.authorize(request)
    },
  }
  const send = authFetch(loggingIn, { fetch })
  return { calls, send: () => send(`${origin}/hidden-path?hidden=query`, { method }) }
}

describe('spans', () => {
  test('are internal ones of the request and its login, under that of the caller', async () => {
    const telemetry = startOpenTelemetry()
    await telemetry.under('caller', call([401, 200], 'PUT').send)
    const spans = telemetry.spans()
    const [caller, request] = [named(spans, 'caller')[0], named(spans, 'svc_auth.request')[0]]
    expect(request).toMatchObject({
      kind: SpanKind.INTERNAL,
      status: { code: SpanStatusCode.UNSET },
    })
    expect(request?.parentSpanContext?.spanId).toBe(caller?.spanContext().spanId)
    expect(request?.attributes).toEqual({
      'http.request.method': 'PUT',
      'http.request.resend_count': 1,
      'http.response.status_code': 200,
      'server.address': 'a.example',
      'server.port': 443,
      'svc_auth.outcome': 'response',
      'svc_auth.scheme': 'recording',
      'url.scheme': 'https',
    })
    const logins = named(spans, 'svc_auth.login')
    expect(logins).toHaveLength(2)
    for (const login of logins) {
      expect(login.parentSpanContext?.spanId).toBe(request?.spanContext().spanId)
      expect(login.attributes).toMatchObject({ 'svc_auth.outcome': 'issued' })
    }
  })

  test('have a status and the class of the error', async () => {
    const telemetry = startOpenTelemetry()
    await call([404]).send()
    const send = authFetch(recordingScheme([origin]), {
      fetch: async () => Response.redirect('https://other.example/', 302),
    })
    await expect(send(`${origin}/`)).rejects.toThrow('redirect')
    const controller = new AbortController()
    const hanging = authFetch(recordingScheme([origin]), {
      fetch: async () => new Promise<Response>(() => {}),
    })
    const aborted = hanging(`${origin}/`, { signal: controller.signal })
    controller.abort()
    await expect(aborted).rejects.toThrow('aborted')

    const requests = named(telemetry.spans(), 'svc_auth.request')
    const types = requests.map(({ attributes }) => attributes['error.type'])
    expect(types).toEqual(['404', 'ERR_AUTH_REDIRECT', 'aborted'])
    for (const { status } of requests) expect(status).toEqual({ code: SpanStatusCode.ERROR })
  })

  test('name no method that the conventions do not know', async () => {
    const telemetry = startOpenTelemetry()
    await call([200], 'PURGE').send()
    const [request] = named(telemetry.spans(), 'svc_auth.request')
    expect(request?.attributes['http.request.method']).toBe('_OTHER')
  })

  test('end with the function that is returned, and what had begun before gets none', async () => {
    const telemetry = startOpenTelemetry()
    telemetry.stop()
    await call().send()
    expect(telemetry.spans()).toEqual([])
    expect(channel('tracing:svc-auth:request:start').hasSubscribers).toBe(false)
    expect(channel('svc-auth').hasSubscribers).toBe(false)
  })
})

test('metrics are durations in seconds with the buckets of HTTP clients, and counters', async () => {
  const telemetry = startOpenTelemetry()
  await call([503]).send()
  const about = { scheme: 'recording', origin } as const
  emit(undefined, () => ({ ...about, type: 'login.paused', retryAt: 1 }))
  emit(undefined, () => ({ ...about, type: 'token.rejected', generation: 1, status: 401 }))
  emit(undefined, () => ({ ...about, type: 'clock.adjusted', offsetMs: 1 }))
  const metrics = await telemetry.metrics()

  const server = { 'server.address': 'a.example', 'server.port': 443, 'url.scheme': 'https' }
  const attributes = { ...server, 'svc_auth.scheme': 'recording' }
  expect(metrics.get('svc_auth.request.duration')).toMatchObject({
    descriptor: { unit: 's' },
    dataPoints: [
      {
        attributes: {
          ...attributes,
          'http.request.method': 'GET',
          'http.response.status_code': 503,
          'error.type': '503',
          'svc_auth.outcome': 'response',
        },
        value: {
          count: 1,
          buckets: {
            boundaries: [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10],
          },
        },
      },
    ],
  })
  const issued = { ...attributes, 'svc_auth.outcome': 'issued' }
  expect(metrics.get('svc_auth.login.duration')).toMatchObject({
    dataPoints: [{ attributes: issued, value: { count: 1 } }],
  })
  for (const name of ['login.pauses', 'token.rejections', 'clock.corrections']) {
    const counted = { dataPoints: [{ attributes, value: 1 }] }
    expect(metrics.get(`svc_auth.${name}`)).toMatchObject(counted)
  }
  expect(metrics.has('http.client.request.duration')).toBe(false)
})

function fail(_ran?: unknown): never {
  throw new Error('a tracer that throws')
}

/** A provider whose spans are changed. */
function tracerOf(change: Partial<Span>): TracerProvider {
  const own = trace.wrapSpanContext({
    traceId: '1'.repeat(32),
    spanId: '2'.repeat(16),
    traceFlags: 1,
  })
  const span: Span = Object.assign(Object.create(own) as Span, change)
  const startSpan = (): Span => span
  return { getTracer: () => ({ startSpan }) as unknown as Tracer }
}

function meterOf(instrument: object): MeterProvider {
  const create = () => instrument
  const meter = { createHistogram: create, createCounter: create }
  return { getMeter: () => meter as unknown as Meter }
}

describe('changes no request', () => {
  const tracers: readonly [string, TracerProvider][] = [
    ['startSpan throws', { getTracer: () => ({ startSpan: fail }) as unknown as Tracer }],
    ['startSpan returns nothing', { getTracer: () => ({ startSpan() {} }) as unknown as Tracer }],
    ['setAttributes throws', tracerOf({ setAttributes: fail })],
    ['setStatus throws', tracerOf({ setStatus: fail })],
    ['spanContext throws', tracerOf({ spanContext: fail })],
    ['end throws', tracerOf({ end: fail })],
    ['addLink throws', tracerOf({ addLink: fail })],
    ['addLink is absent', tracerOf({ addLink: undefined as never })],
  ]
  const meters: readonly [string, MeterProvider][] = [
    ['record and add throw', meterOf({ record: fail, add: fail })],
  ]
  test.each([
    ...tracers.map(([name, tracerProvider]) => [name, { tracerProvider }] as const),
    ...meters.map(([name, meterProvider]) => [name, { meterProvider }] as const),
  ])('a provider whose %s', async (_, options) => {
    useContexts((run) => run())
    onTestFinished(instrumentAuth(options))
    expect(await sendOnce()).toEqual(onceAndReplayed)
  })

  test.each([
    ['before', () => fail()],
    ['after', (run: () => unknown) => fail(run())],
  ])('a context that throws %s it runs the call', async (_, run) => {
    useContexts(run)
    onTestFinished(instrumentAuth({ tracerProvider: tracerOf({}) }))
    expect(await sendOnce()).toEqual(onceAndReplayed)
  })

  test('a context that cannot be told', async () => {
    useContexts((run) => run(), fail)
    onTestFinished(instrumentAuth({ tracerProvider: tracerOf({}) }))
    expect(await sendOnce()).toEqual(onceAndReplayed)
  })

  test('a span links to the login that it waits for, where spans have links', async () => {
    useContexts((run) => run())
    const links: unknown[] = []
    const addLink = (link: unknown): void => void links.push(link)
    onTestFinished(instrumentAuth({ tracerProvider: tracerOf({ addLink: addLink as never }) }))
    expect(await sendOnce()).toEqual(onceAndReplayed)
    // A stack keeps no context for the replay.
    expect(links).toMatchObject([{ context: { spanId: '2'.repeat(16) } }])
  })

  test('a span that cannot be written is ended', async () => {
    let ends = 0
    const end = (): void => void (ends += 1)
    onTestFinished(instrumentAuth({ tracerProvider: tracerOf({ setAttributes: fail, end }) }))
    await call().send()
    expect(ends).toBe(2)
  })
})

const onceAndReplayed = { status: 204, logins: 2, requests: 2 }

async function sendOnce(): Promise<typeof onceAndReplayed> {
  const { calls, send } = call([401, 204])
  const { status } = await send()
  return { status, ...calls }
}

/** Keeps contexts on the stack alone, until the test ends. */
function useContexts(runIn: (run: () => unknown) => unknown, tell?: () => Context): void {
  let current = ROOT_CONTEXT
  const manager = {
    active: tell ?? (() => current),
    with(next: Context, run: () => unknown) {
      const before = current
      current = next
      try {
        return runIn(run)
      } finally {
        current = before
      }
    },
    bind: <T>(_context: Context, target: T): T => target,
    enable: () => manager,
    disable: () => manager,
  }
  context.setGlobalContextManager(manager as ContextManager)
  onTestFinished(() => {
    context.disable()
  })
}

test.each([
  [{ tracerProvider: {} }, 'tracerProvider must be a TracerProvider'],
  [{ meterProvider: 5 }, 'meterProvider must be a MeterProvider'],
  [{ tracer: {} }, 'tracer is not an option; did you mean tracerProvider?'],
  ['text', 'options must be an object with any of tracerProvider, meterProvider'],
])('options %j are rejected', (options, requirement) => {
  expect(() => instrumentAuth(options as never)).toThrow(
    new TypeError(`[@svc/auth-hooks] instrumentAuth: ${requirement}`),
  )
})
