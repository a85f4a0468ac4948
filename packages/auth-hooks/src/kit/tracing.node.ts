import { type Channel, channel } from 'node:diagnostics_channel'
import type { LoginTrace, LoginWait, RequestTrace } from '@svc/types'
import { AuthError } from './errors.ts'
import { type Draft, type LoginStart, quietly, type TracedLogin } from './tracing.ts'

/** The channel of all events. */
export const diagnostics: Channel = channel('svc-auth')

/** The channels of what lasts. Node's own `tracePromise` would publish the token or the response. */
export type TraceChannels = Readonly<
  Record<'start' | 'end' | 'asyncStart' | 'asyncEnd' | 'error', Channel>
> & { readonly hasSubscribers: boolean }

export function openTraceChannels(name: 'login' | 'request'): TraceChannels {
  const open = (event: string): Channel => channel(`tracing:svc-auth:${name}:${event}`)
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

/**
 * Makes a call, exactly once, and publishes its trace around it.
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

const logins = openTraceChannels('login')
const waits = channel('svc-auth:login:wait')

export function beginLoginTrace(about: LoginStart): TracedLogin | undefined {
  if (!logins.hasSubscribers) return undefined
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
