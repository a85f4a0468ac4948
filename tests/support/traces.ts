import { subscribe, tracingChannel, unsubscribe } from 'node:diagnostics_channel'
import type { LoginTrace, LoginWait, RequestTrace } from '@svc/types'
import { onTestFinished } from 'vitest'

/** The events of a tracing channel. */
export type TraceEvent = 'start' | 'end' | 'asyncStart' | 'asyncEnd' | 'error'

/** An event, and a copy of its trace as it was then. */
export type Published<Trace> = Trace & { readonly event: TraceEvent }

/** Collects what a tracing channel publishes until the test ends, each trace as it was then. */
export function collectTraces(name: 'login'): Published<LoginTrace>[]
export function collectTraces(name: 'request'): Published<RequestTrace>[]
export function collectTraces(name: 'login' | 'request'): Published<LoginTrace | RequestTrace>[] {
  const published: Published<LoginTrace | RequestTrace>[] = []
  const collect = (event: TraceEvent) => (trace: object) => {
    // The type of each channel's messages is published beside it.
    published.push({ ...(trace as LoginTrace | RequestTrace), event })
  }
  const subscribers = {
    start: collect('start'),
    end: collect('end'),
    asyncStart: collect('asyncStart'),
    asyncEnd: collect('asyncEnd'),
    error: collect('error'),
  }
  const channels = tracingChannel(`svc-auth:${name}`)
  channels.subscribe(subscribers)
  onTestFinished(() => channels.unsubscribe(subscribers))
  return published
}

/** Collects the waits for logins until the test ends. */
export function collectWaits(): LoginWait[] {
  const published: LoginWait[] = []
  const collect = (wait: unknown): void => void published.push(wait as LoginWait)
  subscribe('svc-auth:login:wait', collect)
  onTestFinished(() => void unsubscribe('svc-auth:login:wait', collect))
  return published
}

/** Returns the traces that are over. */
export function ended<Trace>(published: readonly Published<Trace>[]): Published<Trace>[] {
  return published.filter(({ event }) => event === 'asyncEnd')
}
