import { AsyncLocalStorage } from 'node:async_hooks'
import { channel, tracingChannel } from 'node:diagnostics_channel'
import { fileURLToPath } from 'node:url'
import { authFetch } from '@svc/auth-hooks'
import type { RequestTrace } from '@svc/types'
import { describe, expect, onTestFinished, test } from 'vitest'
import { run as runProgram } from '../../../../tests/support/run-program.ts'
import { collectTraces, ended } from '../../../../tests/support/traces.ts'
import { adapters } from '../support/adapters.ts'
import { recordingScheme, rejects401 } from '../support/schemes.ts'
import { redirectTo, serve } from '../support/server.ts'

const uuid = /^[\da-f-]{36}$/
const review = () => ({ review: rejects401 })

/** Calls a subscriber of `start` until the test ends. */
function onStart(subscriber: (trace: RequestTrace) => void): void {
  const start = channel('tracing:svc-auth:request:start')
  const subscribed = (trace: unknown): void => subscriber(trace as RequestTrace)
  start.subscribe(subscribed)
  onTestFinished(() => start.unsubscribe(subscribed))
}

test('a request is one trace, with its attempts and redirects', async () => {
  const server = await serve(({ path, count }, response) => {
    if (path === '/old?secret=1') redirectTo(response, 307, '/new')
    else response.writeHead(count === 2 ? 401 : 200).end()
  })
  const published = collectTraces('request')
  const scheme = recordingScheme([server.origin], review)
  const response = await authFetch(scheme)(`${server.origin}/old?secret=1`, { method: 'PUT' })

  expect(response.status).toBe(200)
  expect(published.map(({ event }) => event)).toEqual(['start', 'end', 'asyncStart', 'asyncEnd'])
  expect(published.at(0)).toEqual({
    event: 'start',
    id: expect.stringMatching(uuid),
    scheme: 'recording',
    origin: server.origin,
    method: 'PUT',
    attempts: 0,
    redirects: 0,
  })
  expect(published.at(-1)).toEqual({
    ...published.at(0),
    event: 'asyncEnd',
    attempts: 3,
    redirects: 1,
    status: 200,
    outcome: 'response',
    durationMs: expect.any(Number),
  })
})

test('a failure has a code, of ours or of the connection, and no error', async () => {
  const server = await serve((_, response) => redirectTo(response, 302, 'https://other.example/'))
  const published = collectTraces('request')
  const send = authFetch(recordingScheme([server.origin]))
  await expect(send(server.origin)).rejects.toThrow('redirect')
  expect(published.map(({ event }) => event)).toEqual([
    'start',
    'end',
    'error',
    'asyncStart',
    'asyncEnd',
  ])
  const failed = { outcome: 'failed', code: 'ERR_AUTH_REDIRECT', status: 302, attempts: 1 }
  expect(published.at(-1)).toMatchObject(failed)
  expect(published.at(2)).not.toHaveProperty('error')

  const refused = Object.assign(new TypeError('failed', { cause: codedError('ECONNREFUSED') }))
  await sendFailing(refused)
  expect(published.at(-1)).toMatchObject({ outcome: 'failed', code: 'ECONNREFUSED' })
  // A code of somebody else's may be anything.
  await sendFailing(codedError('AKIDSECRET'))
  expect(published.at(-1)).toMatchObject({ outcome: 'failed' })
  expect(published.at(-1)).not.toHaveProperty('code')
})

test('a call that its caller gave up is aborted', async () => {
  const published = collectTraces('request')
  const controller = new AbortController()
  const fetch = () => new Promise<Response>(() => {})
  const send = authFetch(recordingScheme(['https://a.example']), { fetch })
  const sent = send('https://a.example/', { signal: controller.signal })
  controller.abort('a reason that may be secret')
  await expect(sent).rejects.toBe('a reason that may be secret')
  expect(published.at(-1)).toMatchObject({ outcome: 'aborted', attempts: 1 })
  expect(JSON.stringify(published)).not.toContain('secret')
})

// These only add the credential, or are as small as can be.
const untraced = /^(?:authorizeRequest|kyAuthHooks|light)/
test.each(adapters.filter(([name]) => !untraced.test(name)))('%s is traced', async (_, connect) => {
  const server = await serve(({ count }, response) =>
    response.writeHead(count === 1 ? 401 : 204).end(),
  )
  const published = collectTraces('request')
  const status = await connect(recordingScheme([server.origin], review))(`${server.origin}/path`)
  expect(status).toBe(204)
  const [trace, ...more] = ended(published)
  expect(trace).toMatchObject({ method: 'GET', origin: server.origin, attempts: 2, redirects: 0 })
  expect(trace).toMatchObject({ outcome: 'response', status: 204, scheme: 'recording' })
  expect(more).toEqual([])
})

test.each(adapters.filter(([name]) => untraced.test(name)))('%s is not', async (_, connect) => {
  const server = await serve()
  const published = collectTraces('request')
  await connect(recordingScheme([server.origin]))(`${server.origin}/path`)
  expect(published).toEqual([])
})

describe('contexts', () => {
  test('every event is in the context of its caller, and the stores of start hold for the call', async () => {
    const caller = new AsyncLocalStorage<number>()
    const entered = new AsyncLocalStorage<string>()
    const { start, end, asyncEnd } = tracingChannel('svc-auth:request')
    start.bindStore(entered, (trace) => (trace as RequestTrace).method)
    const seen: [caller: number, entered: string | undefined][] = []
    const note = (): void => void seen.push([caller.getStore() ?? 0, entered.getStore()])
    for (const event of [end, asyncEnd]) event.subscribe(note)
    onTestFinished(() => {
      start.unbindStore(entered)
      for (const event of [end, asyncEnd]) event.unsubscribe(note)
    })
    const fetch = async (): Promise<Response> => {
      await Promise.resolve()
      note()
      return new Response()
    }
    const send = authFetch(recordingScheme(['https://a.example']), { fetch })
    await Promise.all(
      [1, 2].map((number) =>
        caller.run(number, async () => {
          await send('https://a.example/', { method: number === 1 ? 'GET' : 'POST' })
          expect(entered.getStore()).toBeUndefined()
        }),
      ),
    )
    expect(seen.sort((one, other) => one[0] - other[0])).toEqual([
      ...Array.from({ length: 3 }, () => [1, 'GET']),
      ...Array.from({ length: 3 }, () => [2, 'POST']),
    ])
  })

  test('a subscriber runs the call inside of a context of its own, and another around it', async () => {
    const order: string[] = []
    for (const name of ['inner', 'outer']) {
      onStart((trace) => {
        const { runInside = (run) => run() } = trace
        trace.runInside = (run) => {
          order.push(name)
          runInside(run)
        }
      })
    }
    const { calls, send } = countingCall()
    expect((await send()).status).toBe(200)
    expect(order).toEqual(['outer', 'inner'])
    expect(calls).toEqual({ count: 1 })
  })
})

describe('a call is made exactly once', () => {
  const failures: readonly [string, RequestTrace['runInside']][] = [
    ['throws before it runs the call', () => fail()],
    ['throws after it ran the call', (run) => fail(run())],
    ['never runs the call', () => {}],
    ['runs the call twice', (run) => [run(), run()]],
    ['runs the call late', (run) => void setTimeout(run)],
  ]
  test.each(failures)('a subscriber that %s', async (_, runInside) => {
    onStart((trace) => (trace.runInside = runInside))
    const published = collectTraces('request')
    const { calls, send } = countingCall()
    expect((await send()).status).toBe(200)
    await new Promise((resolve) => setTimeout(resolve))
    expect(calls).toEqual({ count: 1 })
    expect(published.map(({ event }) => event)).toEqual(['start', 'end', 'asyncStart', 'asyncEnd'])
  })

  test('a subscriber that throws, as Node has it: in an uncaught exception of its own', async () => {
    const fixture = fileURLToPath(new URL('../fixtures/throwing-subscriber.ts', import.meta.url))
    const { stdout } = await runProgram(process.execPath, ['--conditions=@svc/source', fixture])
    const uncaught = ['start', 'end', 'asyncStart', 'asyncEnd']
    expect(JSON.parse(stdout)).toEqual({ status: 200, calls: 1, uncaught })
  })
})

function fail(_ran?: unknown): never {
  throw new Error('a tracer that throws')
}

function codedError(code: string): Error {
  return Object.assign(new Error('failed'), { code })
}

async function sendFailing(error: Error): Promise<void> {
  const fetch = async (): Promise<never> => {
    throw error
  }
  const send = authFetch(recordingScheme(['https://a.example']), { fetch })
  await expect(send('https://a.example/')).rejects.toBe(error)
}

function countingCall() {
  const calls = { count: 0 }
  const fetch = async (): Promise<Response> => {
    calls.count += 1
    return new Response()
  }
  const call = authFetch(recordingScheme(['https://a.example']), { fetch })
  return { calls, send: () => call('https://a.example/') }
}
