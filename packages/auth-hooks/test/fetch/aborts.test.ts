import { getEventListeners } from 'node:events'
import { authFetch, authorizeRequest } from '@svc/auth-hooks'
import { expect, test } from 'vitest'
import { recordingScheme, rejects401 } from '../support/schemes.ts'
import { serve } from '../support/server.ts'

const origin = 'https://a.example'
const never = new Promise<never>(() => {})

test.each([
  ['an Error', new Error('enough')],
  ['no Error', 'enough'],
])(
  'a signal aborted before the call rejects with its reason, %s, and nothing happens',
  async (_name, reason) => {
    const scheme = recordingScheme([origin])
    const send = authFetch(scheme, { fetch: () => never })
    const signal = AbortSignal.abort(reason)

    await expect(send(origin, { signal })).rejects.toBe(reason)
    await expect(send(new Request(origin, { signal }))).rejects.toBe(reason)
    await expect(authorizeRequest(scheme, origin, { signal })).rejects.toBe(reason)
    expect(scheme.seen).toEqual([])
  },
)

test.each([
  ['an init', (body: ReadableStream) => [origin, { method: 'PUT', body, duplex: 'half' }]],
  [
    'a Request',
    (body: ReadableStream) => [
      new Request(origin, { method: 'PUT', body, duplex: 'half' } as never),
    ],
  ],
])(
  'a signal aborted before the call cancels the stream of %s, with its reason',
  async (_name, parametersOf) => {
    for (const pull of [
      (given: ReadableStreamDefaultController) => given.enqueue(new Uint8Array(1)),
      // A source that is slow to give its first bytes is ended as well.
      () => never,
    ]) {
      let cancel = (_reason: unknown): void => {}
      const cancelled = new Promise<unknown>((resolve) => (cancel = resolve))
      const stream = new ReadableStream({ pull, cancel })
      const [input, init] = parametersOf(stream) as [string, RequestInit?]
      const send = authFetch(recordingScheme([origin]), { fetch: () => never })
      const signal = AbortSignal.abort('enough')
      await expect(send(input, { ...init, signal })).rejects.toBe('enough')
      expect(await cancelled).toBe('enough')
    }
  },
)

test('a signal of a package, without a reason, ends a call as any other', async () => {
  const target = new EventTarget()
  const signal = Object.assign(target, { aborted: false })
  const sent = authFetch(recordingScheme([origin]), { fetch: () => never })(origin, {
    signal: signal as never,
  })
  signal.aborted = true
  target.dispatchEvent(new Event('abort'))
  await expect(sent).rejects.toMatchObject({ name: 'AbortError' })
})

test('an abort while the scheme is at work rejects at once', async () => {
  const controller = new AbortController()
  const scheme = { ...recordingScheme([origin]), authorize: () => never }
  const sent = authFetch(scheme)(origin, { signal: controller.signal })
  setImmediate(() => controller.abort('enough'))
  await expect(sent).rejects.toBe('enough')
})

test('an abort while the review is at work rejects at once', async () => {
  const controller = new AbortController()
  const scheme = recordingScheme([origin], () => ({
    review: () => {
      setImmediate(() => controller.abort('enough'))
      return never
    },
  }))
  const send = authFetch(scheme, { fetch: async () => new Response() })
  await expect(send(origin, { signal: controller.signal })).rejects.toBe('enough')
})

test('an abort between two attempts asks the scheme no more', async () => {
  const controller = new AbortController()
  const scheme = recordingScheme([origin], () => ({ review: rejects401 }))
  const refusal = new ReadableStream(
    {
      pull(stream) {
        controller.abort('enough')
        stream.close()
      },
    },
    // Pulled when it is read, and no sooner.
    { highWaterMark: 0 },
  )
  const send = authFetch(scheme, { fetch: async () => new Response(refusal, { status: 401 }) })

  await expect(send(origin, { signal: controller.signal })).rejects.toBe('enough')
  expect(scheme.seen).toHaveLength(1)
})

/** Sends a Request with a body, and aborts it while that is read. */
function aborted(source: ReadableStream): Promise<Response> {
  const controller = new AbortController()
  const request = new Request(origin, {
    method: 'POST',
    body: source,
    duplex: 'half',
    signal: controller.signal,
  } as RequestInit)
  setImmediate(() => controller.abort('enough'))
  return authFetch(recordingScheme([origin]))(request)
}

test('an abort while the body of a Request is read rejects at once', async () => {
  await expect(aborted(new ReadableStream())).rejects.toBe('enough')
})

test('an abort while the body of a Request is read ends its source', async () => {
  let cancel = (_reason: unknown): void => {}
  const cancelled = new Promise<unknown>((resolve) => (cancel = resolve))
  // One piece, and then no other.
  const source = new ReadableStream({
    start: (stream) => stream.enqueue(new Uint8Array(1)),
    cancel,
  })
  await expect(aborted(source)).rejects.toBe('enough')
  await cancelled
})

test('no listener of ours stays on the signal', async () => {
  const controller = new AbortController()
  const { signal } = controller
  const scheme = recordingScheme([origin], () => ({ review: async (head) => rejects401(head) }))
  const send = authFetch(
    { ...scheme, authorize: async (request) => scheme.authorize(request) },
    { fetch: async () => new Response(null, { status: 401 }) },
  )
  await send(origin, { signal, method: 'POST', body: 'x' })

  expect(scheme.seen).toHaveLength(2)
  expect(getEventListeners(signal, 'abort')).toHaveLength(0)
})

test('an abort in flight rejects with the reason', async () => {
  const controller = new AbortController()
  const server = await serve(() => controller.abort('enough'))
  const send = authFetch(recordingScheme([server.origin]))
  await expect(send(server.origin, { signal: controller.signal })).rejects.toBe('enough')
})
