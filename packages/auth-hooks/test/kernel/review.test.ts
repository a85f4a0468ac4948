import { authFetch } from '@svc/auth-hooks'
import { describe, expect, test } from 'vitest'
import { recordingScheme, rejects401 } from '../support/schemes.ts'
import { serve } from '../support/server.ts'
import { streamFrom } from '../support/streams.ts'

/** A server that refuses the first request, and a scheme that asks for another one. */
async function refusing(refusal = 'refused', refusals = 1) {
  const server = await serve((request, response) => {
    response.statusCode = request.count <= refusals ? 401 : 200
    response.end(request.count <= refusals ? refusal : 'ok')
  })
  const scheme = recordingScheme([server.origin], () => ({ review: rejects401 }))
  return { server, scheme, send: authFetch(scheme), url: server.origin }
}

const form = new FormData()
form.append('a', 'b')
const bodies: Record<string, NonNullable<RequestInit['body']>> = {
  'a string': 'text',
  bytes: new Uint8Array([1, 2, 3]),
  'a Blob': new Blob(['blob']),
  'a form': form,
  parameters: new URLSearchParams('a=b'),
}

describe('a request that was refused is sent once more, with its body', () => {
  test.each(Object.entries(bodies))('%s', async (_name, body) => {
    const { server, scheme, send, url } = await refusing()
    const response = await send(url, { method: 'POST', body })

    expect(await response.text()).toBe('ok')
    const [first, second] = server.arrived
    expect(second?.body.byteLength).toBeGreaterThan(0)
    expect(second?.body).toEqual(first?.body)
    expect(second?.headers).toEqual({
      ...first?.headers,
      'x-test-credential': 'credential-of-the-test-2',
    })
    expect(scheme.seen).toMatchObject([
      { attempt: 1, reason: 'initial' },
      { attempt: 2, reason: 'rejected' },
    ])
  })

  test.each([
    ['with a string', { body: 'text' }],
    ['with a stream', { body: streamFrom(Uint8Array.of(1)), duplex: 'half' }],
    ['without a body', {}],
  ])('a Request %s', async (_name, init) => {
    const { server, send, url } = await refusing()
    const request = new Request(url, { method: 'POST', ...init })
    const response = await send(request, { headers: { 'x-own': '1' } })

    expect(await response.text()).toBe('ok')
    const [first, second] = server.arrived
    expect(second?.body).toEqual(first?.body)
    expect(second?.headers['x-own']).toBe('1')
  })
})

test('a request is sent once for each reason, and the last response is the caller’s', async () => {
  const { server, scheme, send, url } = await refusing('still refused', 9)
  expect(await (await send(url)).text()).toBe('still refused')
  expect(server.arrived).toHaveLength(2)

  const reasons = ['rejected', 'clock-skew', 'rejected']
  const other = recordingScheme([url], () => ({ review: () => reasons.shift() }))
  await authFetch(other)(url)
  expect(other.seen.map(({ reason }) => reason)).toEqual(['initial', 'rejected', 'clock-skew'])
  expect(scheme.seen).toHaveLength(2)
})

test.each([false, null, 0, '', true, {}])(
  'a review without types that returns %j asks for nothing',
  async (verdict) => {
    const server = await serve((_request, response) => response.end('ok'))
    const scheme = recordingScheme([server.origin], () => ({ review: () => verdict as never }))
    await authFetch(scheme)(server.origin, { method: 'POST', body: 'text' })
    expect(server.arrived).toHaveLength(1)
  },
)

test('the response to a stream comes as it came', async () => {
  const { server, send, url } = await refusing()
  const body = streamFrom(Uint8Array.of(1))
  const response = await send(url, { method: 'POST', body, duplex: 'half' } as RequestInit)

  expect(response.status).toBe(401)
  expect(await response.text()).toBe('refused')
  expect(server.arrived).toHaveLength(1)
})

test('connections of responses that nobody reads serve later attempts', async () => {
  const server = await serve((request, response) => {
    response.statusCode = request.count % 2 === 1 ? 401 : 200
    response.end('x'.repeat(20_000))
  })
  const send = authFetch(recordingScheme([server.origin], () => ({ review: rejects401 })))
  for (let call = 0; call < 4; call += 1) await (await send(server.origin)).text()

  // Node's fetch frees a connection one turn of the event loop after the end of a response.
  expect(server.arrived).toHaveLength(8)
  expect(server.sockets()).toBeLessThanOrEqual(2)
})

test('a response that is huge is cancelled', async () => {
  let cancelled = false
  let calls = 0
  const huge = new ReadableStream({
    pull: (controller) => controller.enqueue(new Uint8Array(16_384)),
    cancel: () => {
      cancelled = true
    },
  })
  const scheme = recordingScheme(['https://a.example'], () => ({ review: rejects401 }))
  const send = authFetch(scheme, {
    fetch: async () => {
      calls += 1
      return calls === 1 ? new Response(huge, { status: 401 }) : new Response('ok')
    },
  })
  expect(await (await send('https://a.example')).text()).toBe('ok')
  expect(cancelled).toBe(true)
})

test('a scheme is told of each request that got no response, and of no other', async () => {
  const server = await serve((request, response) => {
    if (request.path === '/drop') response.destroy()
    else response.end('ok')
  })
  let abandoned = 0
  const abandon = (): void => void (abandoned += 1)
  const send = authFetch(recordingScheme([server.origin], () => ({ abandon })))
  await send(`${server.origin}/`)
  expect(abandoned).toBe(0)
  await expect(send(`${server.origin}/drop`)).rejects.toThrow('fetch failed')
  expect(abandoned).toBe(1)
})

test.each([
  ['throws', () => Promise.reject(new Error('of the scheme'))],
  [
    'throws at once',
    () => {
      throw new Error('of the scheme')
    },
  ],
])('a review that %s lets go of the response', async (_name, review) => {
  const { promise: closed, resolve } = withResolvers()
  const server = await serve((_, response) => {
    response.on('close', resolve)
    response.write('x'.repeat(1_000_000))
  })
  const send = authFetch(recordingScheme([server.origin], () => ({ review })))
  await expect(send(server.origin)).rejects.toThrow('of the scheme')
  await closed
})

function withResolvers() {
  let resolve = (): void => {}
  const promise = new Promise<void>((given) => (resolve = given))
  return { promise, resolve }
}
