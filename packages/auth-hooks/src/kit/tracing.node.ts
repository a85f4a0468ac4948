import * as diagnosticsChannel from 'node:diagnostics_channel'
import { type Channel, channel } from 'node:diagnostics_channel'
import type { LoginTrace, LoginWait, RequestTrace } from '@svc/types'
import { AuthError } from './errors.ts'
import { type Draft, type LoginStart, quietly, type TracedLogin } from './tracing.ts'

/** The channel of all events. */
export const diagnostics: Channel = channel('svc-auth')

/** The channels of what lasts. Node's own `tracePromise` would publish the token or the response. */
export interface TraceChannels {
  readonly hasSubscribers: boolean
  readonly start: Channel
  readonly end: Channel
  readonly asyncStart: Channel
  readonly asyncEnd: Channel
  readonly error: Channel
}

export function openTraceChannels(name: 'login' | 'request'): TraceChannels {
  const title = `svc-auth:${name}`
  // An import by name would fail in a runtime that has no such function yet.
  const native: Partial<TraceChannels> | undefined = diagnosticsChannel.tracingChannel?.(title)
  // The runtime's own look is the fastest. Bun has none, nor has Node before 20.13.
  if (native?.hasSubscribers !== undefined) return native as TraceChannels
  const open = (event: string): Channel => channel(`tracing:${title}:${event}`)
  const channels = {
    start: open('start'),
    end: open('end'),
    asyncStart: open('asyncStart'),
    asyncEnd: open('asyncEnd'),
    error: open('error'),
  }
  const all = Object.values(channels)
  return {
    ...channels,
    get hasSubscribers() {
      return all.some((one) => one.hasSubscribers)
    },
  }
}

/** Returns an id of a trace: a random one also where something else stands in the place of `crypto`. */
export function traceId(): string {
  try {
    return crypto.randomUUID()
  } catch {
    // Nothing that a trace needs may fail, since the call would fail with it.
    return String(Math.random()).slice(2)
  }
}

/**
 * Makes a call, exactly once, and publishes its trace around it. Nothing that a subscriber or a store does changes
 * the call or its result.
 *
 * @param call - Never throws, but returns a promise that rejects.
 * @param conclude - Writes down how the call ended.
 */
export function runTraced<Result>(
  channels: TraceChannels,
  trace: Draft<LoginTrace> | Draft<RequestTrace>,
  call: () => Promise<Result>,
  conclude: (settled: PromiseSettledResult<Result>) => void,
): Promise<Result> {
  const startedAt = performance.now()
  const run = async (): Promise<Result> => {
    const [settled] = await Promise.allSettled([call()])
    quietly(() => {
      trace.durationMs = performance.now() - startedAt
      const code = settled.status === 'rejected' ? errorCode(settled.reason) : undefined
      if (code !== undefined) trace.code = code
      conclude(settled)
    })
    // The end is told in any case: a subscriber may hold something until then.
    quietly(() => {
      if (settled.status === 'rejected') channels.error.publish(trace)
      channels.asyncStart.publish(trace)
      channels.asyncEnd.publish(trace)
    })
    if (settled.status === 'rejected') throw settled.reason
    return settled.value
  }
  // Within the contexts that subscribers have entered, so that what follows is in them, too.
  let result: Promise<Result> | undefined
  const callOnce = (): Promise<Result> => (result ??= run())
  let hasStarted = false
  const start = (): void => {
    hasStarted = true
    quietly(() => trace.runInside?.(() => void callOnce()))
    void callOnce()
    channels.end.publish(trace)
  }
  quietly(() => channels.start.runStores(trace, start))
  if (!hasStarted) {
    // A store that fails keeps the event from being published.
    quietly(() => {
      channels.start.publish(trace)
      start()
    })
  }
  return callOnce()
}

/** Codes that say why a connection failed, and hold nothing of anybody's. */
const networkCode =
  /^(?:ECONN(?:ABORTED|REFUSED|RESET)|E(?:HOST|NET)UNREACH|ENOTFOUND|EAI_AGAIN|EPIPE|ETIMEDOUT|UND_ERR_[A-Z_]+)$/
/** Bounds the errors that are looked at, which may lead in a circle. */
const mostCauses = 5

/** Returns the code of an error, or of one that led to it: any other code may be text of somebody else's. */
function errorCode(error: unknown): string | undefined {
  let link: unknown = error
  for (let depth = 0; depth < mostCauses && link instanceof Error; depth += 1) {
    const code: unknown = Reflect.get(link, 'code')
    const isOurs = AuthError.is(link) && /^ERR_AUTH_[A-Z_]+$/.test(String(code))
    if (typeof code === 'string' && (isOurs || networkCode.test(code))) return code
    link = link.cause
  }
  return undefined
}

const logins = openTraceChannels('login')
const waits = channel('svc-auth:login:wait')

export function beginLoginTrace(about: LoginStart): TracedLogin | undefined {
  if (!logins.hasSubscribers) return undefined
  const { scheme, origin } = about
  const wait: LoginWait = { id: traceId(), scheme, origin }
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
