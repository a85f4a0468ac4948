import { createRequire } from 'node:module'
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http'
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici'
import { authFetch, authKy, createTokenAuth } from '@svc/auth-token'
import { authAxios } from '@svc/auth-hooks/axios'
import { authGot } from '@svc/auth-hooks/got'
import { createEmulator, defaultUsers } from '@svc/emulator'
import axios from 'axios'
import got from 'got'
import ky from 'ky'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import {
  drawSpans,
  named,
  type OpenTelemetry,
  startOpenTelemetry,
} from '../support/opentelemetry.ts'

const readme = readFileSync(join(import.meta.dirname, '../../docs/guides/traces.md'), 'utf8')
const drawing = /```text\n(list the groups\n[^]*?)\n```/.exec(readme)?.[1]

// Its hook patches `node:http` once, when that is required: what axios has imported is the same object.
const instrumentations = [
  new HttpInstrumentation({ ignoreIncomingRequestHook: () => true }),
  new UndiciInstrumentation(),
]
createRequire(import.meta.url)('http')
afterAll(() => {
  for (const instrumentation of instrumentations) instrumentation.disable()
})

async function instrumentedService({ tracerProvider, meterProvider }: OpenTelemetry) {
  for (const instrumentation of instrumentations) {
    instrumentation.setTracerProvider(tracerProvider)
    instrumentation.setMeterProvider(meterProvider)
  }
  const emulator = createEmulator()
  const server = await emulator.listen()
  onTestFinished(() => server.close())
  const { baseUrl } = server
  const auth = createTokenAuth({ baseUrl, credentials: defaultUsers[0], session: 'own' })
  return { auth, emulator, groups: `${baseUrl}/user/groups` }
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 1))
}

test.each(['fetch', 'axios'])(
  'a request by %s with a login, a 401, a second login and a replay is one trace, as the guide draws it',
  async (client) => {
    const telemetry = startOpenTelemetry()
    const { auth, emulator, groups } = await instrumentedService(telemetry)
    emulator.fault({ path: '/user/groups', status: 401, times: 1 })
    await telemetry.under('list the groups', async () => {
      const { status } =
        client === 'fetch'
          ? await readAll(auth, groups)
          : await axios.create({ ...authAxios(auth) }).get(groups)
      expect(status).toBe(200)
    })
    await until(() => telemetry.spans().length >= 8)

    const spans = telemetry.spans()
    expect(drawSpans(spans)).toBe(drawing)
    expect(new Set(spans.map((span) => span.spanContext().traceId)).size).toBe(1)
    const scopes = [...new Set(spans.map(({ instrumentationScope: { name } }) => name))]
    expect(scopes).toContain('@opentelemetry/instrumentation-undici')
    expect(scopes.includes('@opentelemetry/instrumentation-http')).toBe(client === 'axios')
    // Each attempt is measured once, by the instrumentation of its client.
    const metrics = await telemetry.metrics()
    expect([...metrics.keys()].sort((a, b) => a.localeCompare(b))).toEqual([
      'http.client.request.duration',
      'svc_auth.login.duration',
      'svc_auth.request.duration',
      'svc_auth.token.rejections',
    ])
  },
)

async function readAll(
  auth: Parameters<typeof authFetch>[0],
  url: string,
): Promise<{ readonly status: number }> {
  const response = await authFetch(auth)(url)
  await response.text()
  return response
}

test.each(['ky', 'got'])(
  'the login of %s comes before its request, and not under it',
  async (client) => {
    const telemetry = startOpenTelemetry()
    const { auth, groups } = await instrumentedService(telemetry)
    await telemetry.under('list the groups', async () => {
      if (client === 'ky') await ky.extend(authKy(auth))(groups).text()
      else await got.extend(authGot(auth))(groups)
    })
    await until(() => telemetry.spans().length >= 5)
    expect(drawSpans(telemetry.spans())).toBe(
      `list the groups
├─ svc_auth.login issued
│  └─ POST 200
└─ svc_auth.request 200
   └─ GET 200`,
    )
  },
)

test('100 callers of one login: one span of a login, under the first, to which 99 link', async () => {
  const telemetry = startOpenTelemetry()
  const { auth, groups } = await instrumentedService(telemetry)
  const send = authFetch(auth)
  await Promise.all(
    Array.from({ length: 100 }, (_, number) =>
      telemetry.under(`caller ${number}`, async () => (await send(groups)).text()),
    ),
  )
  await until(() => named(telemetry.spans(), 'GET').length === 100)

  const spans = telemetry.spans()
  const [login, ...more] = named(spans, 'svc_auth.login')
  expect(more).toEqual([])
  const requests = named(spans, 'svc_auth.request')
  expect(requests).toHaveLength(100)
  const linked = requests.filter(({ links }) => links.length > 0)
  expect(linked).toHaveLength(99)
  for (const { links } of linked) {
    expect(links).toMatchObject([{ context: { spanId: login?.spanContext().spanId } }])
  }
  const first = requests.find(({ links }) => links.length === 0)
  expect(login?.parentSpanContext?.spanId).toBe(first?.spanContext().spanId)
  // Each attempt is in the trace of its caller.
  for (const request of requests) {
    const own = spans.filter((span) => span.spanContext().traceId === request.spanContext().traceId)
    expect(named(own, 'GET')).toHaveLength(1)
    expect(own.filter(({ name }) => name.startsWith('caller'))).toHaveLength(1)
  }
})
