import {
  type Channel,
  channel,
  type TracingChannel,
  tracingChannel,
} from 'node:diagnostics_channel'
import type { AuthScheme, LoginTrace, LoginWait, RequestTrace } from '@svc/types'
import { AuthError } from '../kit/errors.ts'
import { type Draft, type LoginStart, quietly, type TracedLogin } from '../kit/tracing.ts'
import type { Transport } from './exchange.ts'
import type { ExchangeRequest } from './request.ts'

/** The channel of all events. */
export const diagnostics: Channel | undefined = channel('svc-auth')

/** Tells if anybody listens. Bun's tracing channels do not say it themselves. */
function isHeard({ start, end, asyncStart, asyncEnd, error }: TracingChannel): boolean {
  return (
    start.hasSubscribers ||
    end.hasSubscribers ||
    asyncStart.hasSubscribers ||
    asyncEnd.hasSubscribers ||
    error.hasSubscribers
  )
}

/**
 * Makes a call, exactly once, and publishes its trace around it. Node's own `tracePromise` would publish the token or the
 * response.
 *
 * @param call - Never throws, but returns a promise that rejects.
 * @param conclude - Writes down how the call ended.
 */
function runTraced<Result>(
  channels: TracingChannel,
  trace: Draft<LoginTrace> | Draft<RequestTrace>,
  call: () => Promise<Result>,
  conclude: (settled: PromiseSettledResult<Result>) => void,
): Promise<Result> {
  const startedAt = performance.now()
  const run = async (): Promise<Result> => {
    const [settled] = await Promise.allSettled([call()])
    trace.durationMs = performance.now() - startedAt
    const code = settled.status === 'rejected' ? errorCode(settled.reason) : undefined
    if (code !== undefined) trace.code = code
    conclude(settled)
    if (settled.status === 'rejected') channels.error.publish(trace)
    channels.asyncStart.publish(trace)
    channels.asyncEnd.publish(trace)
    if (settled.status === 'rejected') throw settled.reason
    return settled.value
  }
  // Within the contexts that subscribers have entered, so that what follows is in them, too.
  return channels.start.runStores(trace, () => {
    let result: Promise<Result> | undefined
    const runOnce = (): Promise<Result> => (result ??= run())
    quietly(() => trace.runInside?.(() => void runOnce()))
    const running = runOnce()
    channels.end.publish(trace)
    return running
  })
}

/** Codes that say why a connection failed, and hold nothing of anybody's. */
const networkCode =
  /^(?:ECONN(?:ABORTED|REFUSED|RESET)|E(?:HOST|NET)UNREACH|ENOTFOUND|EAI_AGAIN|EPIPE|ETIMEDOUT|UND_ERR_[A-Z_]+)$/

/** Returns the code of an error or of its cause: any other code may be text of somebody else's. */
function errorCode(error: unknown): string | undefined {
  // `fetch` throws a TypeError, whose cause says why.
  for (const link of [error, Object(error).cause]) {
    const { code } = Object(link)
    if (AuthError.is(link) || networkCode.test(code)) return code
  }
  return undefined
}

const logins = tracingChannel('svc-auth:login')
const waits = channel('svc-auth:login:wait')

/** Begins the trace of a login, unless there is no subscriber: the login runs untraced then. */
export function beginLoginTrace(about: LoginStart): TracedLogin | undefined {
  if (!isHeard(logins)) return undefined
  const { scheme, origin } = about
  const wait: LoginWait = { id: crypto.randomUUID(), scheme, origin }
  const trace: Draft<LoginTrace> = { ...wait }
  return {
    run: (login, outcomeOf) =>
      runTraced(logins, trace, login, (settled) => {
        if (settled.status === 'fulfilled') trace.outcome = outcomeOf(settled.value)
        else describeFailure(trace, settled.reason)
      }),
    awaited: () => waits.publish(wait),
  }
}

function describeFailure(trace: Draft<LoginTrace>, error: unknown): void {
  const isGivenUp = !(error instanceof Error) || error.name === 'AbortError'
  trace.outcome = isGivenUp ? 'abandoned' : 'failed'
  if (!AuthError.is(error)) return
  const { status, retryAt } = error
  if (status !== undefined) trace.status = status
  if (retryAt === undefined) return
  trace.outcome = 'paused'
  trace.retryAt = retryAt
}

const requests = tracingChannel('svc-auth:request')

/** Carries out one call by `run`, and where anybody listens, through a transport that writes its trace. */
export function traceRequest<Sent extends ExchangeRequest, Response>(
  scheme: AuthScheme,
  transport: Transport<Sent, Response>,
  { method, url, signal }: Sent,
  run: (watched: Transport<Sent, Response>) => Promise<Response>,
): Promise<Response> {
  if (!isHeard(requests)) return run(transport)
  const trace: Draft<RequestTrace> = {
    id: crypto.randomUUID(),
    scheme: scheme.name,
    origin: url.origin,
    method,
    attempts: 0,
    redirects: 0,
  }
  const watched: Transport<Sent, Response> = {
    ...transport,
    send(request, authorization) {
      trace.attempts += 1
      if (authorization) trace.scheme = authorization.scheme
      return transport.send(request, authorization)
    },
    responseHead(response, request) {
      const head = transport.responseHead(response, request)
      trace.status = head.status
      return head
    },
    redirected(...hop) {
      trace.redirects += 1
      return transport.redirected(...hop)
    },
  }
  return runTraced(
    requests,
    trace,
    () => run(watched),
    ({ status }) => {
      const failure = signal?.aborted ? 'aborted' : 'failed'
      trace.outcome = status === 'fulfilled' ? 'response' : failure
    },
  )
}
