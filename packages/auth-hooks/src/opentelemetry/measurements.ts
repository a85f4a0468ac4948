import {
  type Attributes,
  type Histogram,
  type Meter,
  type MeterProvider,
  type MetricOptions,
  metrics,
  ValueType,
} from '@opentelemetry/api'
import type { AuthEvent, LoginTrace, RequestTrace } from '@svc/types'
import { authAttributes, endAttributes, requestAttributes, scopeName } from './attributes.ts'

/** Measures what is over. Each of its functions may throw where a meter does. */
export interface Measurements {
  readonly loginEnded: (login: LoginTrace) => void
  readonly requestEnded: (request: RequestTrace) => void
  readonly happened: (event: AuthEvent) => void
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

/** Returns measurements that ask their provider for a meter once there is something to measure. */
export function createMeasurements(provider: MeterProvider | undefined): Measurements {
  let instruments: ReturnType<typeof createInstruments> | undefined
  const measured = (): ReturnType<typeof createInstruments> =>
    (instruments ??= createInstruments((provider ?? metrics).getMeter(scopeName)))

  return {
    loginEnded(login) {
      record(measured().logins, login, authAttributes(login))
    },
    requestEnded(request) {
      record(measured().requests, request, requestAttributes(request))
    },
    happened(event) {
      if (event.type === 'login.paused') measured().pauses.add(1, authAttributes(event))
      if (event.type === 'token.rejected') measured().rejections.add(1, authAttributes(event))
      if (event.type === 'clock.adjusted') measured().corrections.add(1, authAttributes(event))
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
