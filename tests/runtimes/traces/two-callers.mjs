// Two callers share a login: prints the spans, and the span in which each request was sent.
import { AsyncLocalStorage } from 'node:async_hooks'
import { channel } from 'node:diagnostics_channel'
import { context, ROOT_CONTEXT, trace } from '@opentelemetry/api'
import { instrumentAuth } from '@svc/auth-hooks/opentelemetry'
import { authFetch, createTokenAuth } from '@svc/auth-token'

const contexts = new AsyncLocalStorage()
const manager = {
  active: () => contexts.getStore() ?? ROOT_CONTEXT,
  with: (inside, run) => contexts.run(inside, run),
  bind: (_inside, target) => target,
  enable: () => manager,
  disable: () => manager,
}
context.setGlobalContextManager(manager)

const written = []
let spans = 0
const tracer = {
  startSpan(name, _options, parent) {
    const id = `${(spans += 1)} ${name}`
    const under = trace.getSpan(parent)?.id
    const links = []
    return {
      id,
      spanContext: () => ({ traceId: '1'.repeat(32), spanId: id, traceFlags: 1 }),
      addLink: (link) => links.push(link.context.spanId),
      setAttributes() {},
      end: () => written.push({ id, under, links }),
    }
  },
}
const stop = instrumentAuth({ tracerProvider: { getTracer: () => tracer } })

const token = [{ alg: 'HS256' }, { iat: 1, exp: 90_000 }, 'signature']
  .map((part) => btoa(JSON.stringify(part)).replaceAll('=', ''))
  .join('.')
const sent = []
const fetch = async (input) => {
  await Promise.resolve()
  sent.push(trace.getSpan(context.active())?.id)
  return new URL(input).pathname === '/user/login'
    ? Response.json({ Token: token })
    : new Response()
}
const baseUrl = 'https://search.example.com'
const credentials = { username: 'reader', password: 'not-a-secret' }
const auth = createTokenAuth({ baseUrl, credentials, fetch })
const send = authFetch(auth, { baseUrl, fetch })
await Promise.all([send('/user/groups'), send('/user/groups')])
stop()
await send('/user/groups')

const isHeard = channel('tracing:svc-auth:request:start').hasSubscribers
console.log(JSON.stringify({ written, sent, isHeard }))
