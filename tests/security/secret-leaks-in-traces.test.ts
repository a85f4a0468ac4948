import { channel } from 'node:diagnostics_channel'
import { authFetch, createSessionAuth } from '@svc/auth-token'
import { expect, onTestFinished, test } from 'vitest'
import { startOpenTelemetry } from '../support/opentelemetry.ts'
import { serviceAuth } from './schemes.ts'
import { expectNoSecret, makeJwt, secrets } from './secrets.ts'

const origin = 'https://search.example.com'
const jwt = makeJwt('traces')
/** Texts that no trace may have besides the secrets: those of the path, the query, messages and codes. */
const hidden = [jwt, 'hidden-path', 'hidden-words', 'hidden-name', 'HIDDEN_CODE']
const everything = [...Object.values(secrets), ...hidden].join(' ')
const echo = { 'x-echo': encodeURIComponent(everything), 'hidden-name': 'a' }

type Respond = (isLogin: boolean, count: number) => Response | Promise<Response>

const issue = (): Response => Response.json({ Token: jwt })
const fail = (error: unknown): never => {
  throw error
}
const failures: readonly [string, Respond][] = [
  ['succeeds', (isLogin) => (isLogin ? issue() : new Response(everything, { headers: echo }))],
  [
    'is refused once, and replayed',
    (isLogin, count) =>
      isLogin ? issue() : new Response(everything, { status: count < 3 ? 401 : 200 }),
  ],
  [
    'is refused for good',
    (isLogin) =>
      isLogin ? issue() : new Response(everything, { status: 403, statusText: 'hidden-words' }),
  ],
  [
    'is redirected elsewhere',
    (isLogin) =>
      isLogin
        ? issue()
        : Response.redirect(`https://elsewhere.example/${encodeURIComponent(everything)}`),
  ],
  ['has a login that is refused', () => Response.json({ message: everything }, { status: 401 })],
  [
    'has a login that is refused with words',
    () => new Response('{"message":"hidden-words"}', { status: 429 }),
  ],
  [
    'has a login that breaks off',
    () => fail(new TypeError(everything, { cause: { code: everything } })),
  ],
  [
    'breaks off, with errors that quote it',
    (isLogin) =>
      isLogin
        ? issue()
        : fail(
            Object.assign(new Error(everything, { cause: everything }), {
              name: 'hidden-name',
              code: 'HIDDEN_CODE',
            }),
          ),
  ],
  [
    'is rejected by something that is no error',
    (isLogin) => (isLogin ? issue() : fail({ code: jwt, everything })),
  ],
]

test.each(failures)(
  'no trace, span or metric shows a secret of a request that %s',
  async (_, respond) => {
    const messages = listen()
    const telemetry = startOpenTelemetry()
    let count = 0
    const fetch = async (input: string | URL | Request): Promise<Response> => {
      count += 1
      return respond(
        new URL(input instanceof Request ? input.url : input).pathname === '/user/login',
        count,
      )
    }
    const send = authFetch(serviceAuth(origin, { fetch }), { fetch })
    const query = encodeURIComponent(everything)
    const init = { method: 'PUT', body: everything, headers: { 'x-own': secrets.apiKeyHeader } }
    await telemetry.under('caller', async () =>
      Promise.allSettled(
        [
          `user/hidden-path?${query}=${query}`,
          `user/hidden-path?${query}`,
          `V1/hidden-path?${query}`,
        ].map((path) => send(`${origin}/${path}`, init)),
      ),
    )
    const spans = telemetry.spans().map(({ name, attributes, links, events, status }) => ({
      name,
      attributes,
      links,
      events,
      status,
    }))
    const metrics = await telemetry.metrics()
    // The events on the channel of events may have the service's words, and the paths of routes.
    expectNoSecret(messages.events, [jwt])
    for (const told of [messages.traces, spans, [...metrics]]) expectNoSecret(told, hidden)
    expect(messages.traces.length).toBeGreaterThan(8)
    expect(spans.length).toBeGreaterThan(3)
    expect(metrics.size).toBeGreaterThan(1)
  },
)

test('nor those of an abort, or of a login of one’s own', async () => {
  const messages = listen()
  const telemetry = startOpenTelemetry()
  const controller = new AbortController()
  const auth = createSessionAuth({
    name: 'own',
    baseUrl: origin,
    credentials: { key: secrets.apiKeyHeader },
    session: 'own',
    login: async ({ credentials }) => ({ token: credentials.key, expiresInMs: 60_000 }),
    headers: (token) => ({ authorization: token }),
  })
  const send = authFetch(auth, { fetch: async () => new Promise<Response>(() => {}) })
  const sent = send(`${origin}/hidden-path?${secrets.apiKeyHeader}`, { signal: controller.signal })
  setTimeout(() => controller.abort(new Error(everything)), 5)
  await expect(sent).rejects.toThrow('hidden')
  expect(messages.traces.at(-1)).toMatchObject({ outcome: 'aborted' })
  for (const told of [messages.traces, telemetry.spans().map(({ attributes }) => attributes)]) {
    expectNoSecret(told, hidden)
  }
})

/** Collects all that is published, until the test ends: the very objects, and not only what they were. */
function listen(): { readonly traces: unknown[]; readonly events: unknown[] } {
  const traces: unknown[] = []
  const events: unknown[] = []
  const names = ['start', 'end', 'asyncStart', 'asyncEnd', 'error'].flatMap((event) =>
    ['login', 'request'].map((name) => `tracing:svc-auth:${name}:${event}`),
  )
  for (const name of [...names, 'svc-auth:login:wait', 'svc-auth']) {
    const into = name === 'svc-auth' ? events : traces
    const collect = (message: unknown): void => void into.push(message)
    const messages = channel(name)
    messages.subscribe(collect)
    onTestFinished(() => {
      messages.unsubscribe(collect)
    })
  }
  return { traces, events }
}
