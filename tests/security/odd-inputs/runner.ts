/*
 * Carries out cases, one after the other, in this process, whose death is a finding: nothing here listens
 * for what Node ends a process for. `run-case.ts` says why a process may serve more than one case.
 */
import { getEventListeners } from 'node:events'
import { flushCompileCache } from 'node:module'
import process from 'node:process'
import { setTimeout as wait } from 'node:timers/promises'
import { inspect } from 'node:util'
import {
  countDescriptors,
  countResources,
  grownResources,
  type Resources,
} from '../../soak/checks/resources.ts'
import type { AuthScheme } from '@svc/types'
import type { OddCase } from './plan.ts'
import {
  afterlifeMs,
  callLimitMs,
  type Order,
  type Report,
  settlingMs,
  type Task,
} from './protocol.ts'
import { enterWorld } from './worlds.ts'

const report = (value: Report): void => void process.send?.(value)

const [world, adapter, isLate] = process.argv.slice(2)
// The names are those of the plan.
const entered = { world: world as OddCase['world'] }
if (!isLate) await enterWorld(entered)
// After the world, which a program may have around it from its start, or only later.
const { loadClient } = await import('./clients/index.ts')
const { schemeOf } = await import('./schemes.ts')
const { bodyOf } = await import('./bodies.ts')
const values = await import('./values.ts')
await loadClient(adapter ?? '')
flushCompileCache()
if (isLate) await enterWorld(entered)

const warnings: string[] = []
process.on('warning', (warning) => {
  // Of a listener that is left each time, for one.
  if (!/^(?:Experimental|Deprecation)Warning$/.test(warning.name)) warnings.push(String(warning))
})

let look: () => Promise<string[]> = () => Promise.resolve([])
process.on('message', (order: Order) => {
  if (order.order === 'carry-out') void carryOut(order.task)
  else if (order.order === 'look') void look().then((left) => report({ report: 'looked', left }))
  else setTimeout(() => process.disconnect(), afterlifeMs)
})
report({ report: 'ready' })

async function carryOut({
  plan,
  origin,
  strayOrigin,
  folder,
  isPlain,
  patience,
}: Task): Promise<void> {
  const open = await loadClient(plan.adapter)
  const scheme = isPlain ? undefined : await schemeOf(plan, origin)
  const before = snapshot()
  const signal = values.signalOf(plan)
  let isAsked = false
  let isGiven = false
  const client = open({
    scheme:
      scheme &&
      watched(scheme, {
        onAsked: () => (isAsked = true),
        onGiven: () => (isGiven = true),
      }),
    options: plan.redirect === 'option-follow' ? { redirect: 'follow' } : {},
    transport: plan.transport,
  })
  const body = await bodyOf(plan, folder)
  const given = await values.headersOf(plan)
  const headers = withLength(given.value, body.announced)
  const listenersBefore = listenersOf(signal.value)

  let isOver = false
  const call = attempt(async () => {
    const sent = await client.send({
      url: values.urlOf(plan, origin, strayOrigin),
      method: values.methodOf(plan),
      headers,
      body: body.value,
      signal: signal.value,
      timeout: values.timeoutOf(plan),
      init: values.initOf(plan),
      asRequest: plan.url === 'request',
      withoutDuplex: plan.init === 'no-duplex',
      isFrozen: plan.init === 'frozen',
      isStreamed: plan.reading === 'streamed',
    })
    await readAway(sent, plan.reading === 'not' ? 0 : 300, () => isOver)
  })
  const limit = wait(callLimitMs * patience, { outcome: 'unsettled' } as const, { ref: false })
  const { outcome, error } = { error: undefined, ...(await Promise.race([call, limit])) }
  isOver = true
  look = async () => {
    await client.close().catch(() => {})
    const endAt = performance.now() + settlingMs * patience
    for (;;) {
      const left = [
        ...grown(before, snapshot()),
        ...(outcome === 'rejected' ? (body.left?.() ?? []) : []),
        ...(listenersOf(signal.value) > listenersBefore ? ['a listener on the signal'] : []),
        ...warnings.splice(0),
      ]
      // Node's `fetch` listens until its request is collected, and the file of a Blob is open until its reader is.
      if (left.length > 0) gc?.()
      if (left.length === 0 || performance.now() > endAt) {
        // What is left was said, and must not be in the way of the next case.
        body.end?.()
        return left
      }
      await wait(15)
    }
  }
  // A caller whose call is over no longer holds its timer, and ends what would go on for ever.
  signal.end()
  if (outcome !== 'rejected') signal.abort()
  const { expected } = body
  report({
    report: 'settled',
    outcome,
    isAsked,
    isGiven,
    ...(error !== undefined && { error: readable(error) }),
    ...(expected !== undefined && { expected }),
  })
}

/** Returns a scheme that tells when it is asked, and when it has given a credential. */
function watched(
  scheme: AuthScheme,
  { onAsked, onGiven }: { readonly onAsked: () => void; readonly onGiven: () => void },
): AuthScheme {
  return {
    ...scheme,
    covers(url) {
      onAsked()
      return scheme.covers(url)
    },
    authorize(request) {
      const given = scheme.authorize(request)
      const promise: unknown = given
      if (promise instanceof Promise) promise.then(onGiven, () => {})
      else onGiven()
      return given
    },
  }
}

type Ended = { outcome: 'resolved' } | { outcome: 'rejected'; error: unknown }

async function attempt(call: () => Promise<void>): Promise<Ended> {
  try {
    await call()
    return { outcome: 'resolved' }
  } catch (error) {
    return { outcome: 'rejected', error: error ?? 'undefined' }
  }
}

/** Reads the body of a response away, for some time at most, and cancels what is left. */
async function readAway(sent: unknown, limitMs: number, isOver: () => boolean): Promise<void> {
  const body = bodyIn(sent)
  if (body === undefined) return
  const endAt = performance.now() + limitMs
  const iterator = body[Symbol.asyncIterator]()
  const timer = wait(limitMs, { done: true } as const, { ref: false })
  while (performance.now() < endAt && !isOver()) {
    // A body that fails is one that a caller sees fail.
    const next = await Promise.race([iterator.next().catch(() => ({ done: true })), timer])
    if (next.done) break
  }
  if (body instanceof ReadableStream) iterator.return?.().catch(() => {})
  else body.destroy?.()
}

type Readable = AsyncIterable<unknown> & {
  destroy?(): void
  on?(name: string, listen: () => void): void
}

function bodyIn(sent: unknown): Readable | undefined {
  const candidates = [sent, typeof sent === 'object' && sent !== null && Reflect.get(sent, 'body')]
  const found = candidates.find(
    (value): value is Readable =>
      typeof value === 'object' && value !== null && Symbol.asyncIterator in value,
  )
  found?.on?.('error', () => {})
  return found
}

/** The things of which there must not be more after a case. */
type Snapshot = readonly Resources[]

function snapshot(): Snapshot {
  const listeners = process.eventNames().map((name) => [String(name), process.listenerCount(name)])
  // Node holds the reader of a Blob that is a file until it is collected.
  const { FileHandleReadWrap: _, ...resources } = countResources()
  return [countDescriptors(), resources, Object.fromEntries(listeners)]
}

function grown(before: Snapshot, now: Snapshot): string[] {
  return now.flatMap((resources, index) => grownResources(before[index] ?? {}, resources))
}

function listenersOf(signal: unknown): number {
  try {
    return signal instanceof EventTarget ? getEventListeners(signal, 'abort').length : 0
  } catch {
    // One that throws whatever is done to it.
    return 0
  }
}

function withLength(headers: unknown, announced: number | undefined): unknown {
  if (announced === undefined) return headers
  return { 'x-odd': 'a', 'content-length': String(announced) }
}

function readable(error: unknown): string {
  try {
    // Until its stack is read, an error holds what the functions in it know, such as a Request.
    const { name, code, message, cause, stack: _ } = error as Record<string, unknown>
    const inner = cause instanceof Error ? ` <- ${readable(cause)}` : ''
    return `${String(name)} ${String(code)} ${String(message)}`.slice(0, 200) + inner
  } catch {
    return inspect(error).slice(0, 200)
  }
}
