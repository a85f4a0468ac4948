import type { ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { authFetch } from '@svc/auth-hooks'
import type { AuthScheme } from '@svc/types'
import { describe, expect, test } from 'vitest'
import { adapters, type Send } from '../support/adapters.ts'
import { recordingScheme, rejects401 } from '../support/schemes.ts'
import { serve } from '../support/server.ts'

describe('an unwanted response whose body never ends', () => {
  test.each([302, 401])('does not hold up what follows a %i', async (status) => {
    const server = await serve(({ count }, response) => {
      if (count > 1) response.end('there')
      else response.writeHead(status, { location: '/there' }).write('endless')
    })
    const fetch = authFetch(recordingScheme([server.origin], () => ({ review: rejects401 })))
    const response = await fetch(`${server.origin}/here`)
    expect(await response.text()).toBe('there')
  })
})

// `authorizeRequest` sends nothing. The fetch adapter of axios before 1.12 tells of no response before its end.
const clients = adapters.filter(
  ([name]) => name !== 'authorizeRequest' && name !== 'authAxios, axios 1.7 over fetch',
)

describe('a refused attempt', () => {
  test.each([
    ['never ends', () => {}],
    ['never stops', writeOn],
  ])('is left by every client while its body %s', async (_what, proceed) => {
    const left = clients.map(async ([name, connect]) => {
      const { send, closed } = await connectToRefusal(connect, proceed)
      const status = await Promise.race([send, delay(20_000)])
      const written = await Promise.race([closed, delay(5000, Infinity)])
      // What the sockets hold, and no more.
      return { name, status, isLeft: written < 32 * 1024 * 1024 }
    })
    const all = clients.map(([name]) => ({ name, status: 200, isLeft: true }))
    expect(await Promise.all(left)).toEqual(all)
  })
})

/** Sends a request that is refused first. `closed` resolves to the bytes of that response. */
async function connectToRefusal(
  connect: (scheme: AuthScheme) => Send,
  proceed: (response: ServerResponse) => void,
): Promise<{ readonly send: Promise<number>; readonly closed: Promise<number> }> {
  let close = (_written: number): void => {}
  const closed = new Promise<number>((resolve) => (close = resolve))
  const server = await serve(({ count }, response) => {
    if (count > 1) return response.end('there')
    const { socket } = response
    response.on('close', () => close(socket?.bytesWritten ?? 0))
    response.writeHead(401).write('refused')
    return proceed(response)
  })
  const send = connect(recordingScheme([server.origin], () => ({ review: rejects401 })))
  return { send: send(`${server.origin}/here`), closed }
}

/** Writes as fast as it is read. */
function writeOn(response: ServerResponse): void {
  while (response.writable && response.write(Buffer.alloc(65_536)));
  response.once('drain', () => writeOn(response))
}

test('an unwanted response of chunks of nothing holds up no timer', async () => {
  let pulled = 0
  const body = new ReadableStream({
    pull(controller) {
      pulled += 1
      if (pulled > 1_000_000) controller.error(new Error('read without end'))
      else controller.enqueue(new Uint8Array())
    },
  })
  const responses = [new Response(body, { status: 401 }), new Response('there')]
  const scheme = recordingScheme(['https://h'], () => ({ review: rejects401 }))
  const serviceFetch = authFetch(scheme, { fetch: async () => responses.shift() as Response })
  expect(await (await serviceFetch('https://h/')).text()).toBe('there')
  await new Promise((resolve) => setTimeout(resolve))
  expect(pulled).toBeLessThan(100_000)
})

describe('an inner fetch that heeds no signal', () => {
  test('holds up no abort', async () => {
    const controller = new AbortController()
    const deaf = authFetch(recordingScheme(['https://h']), { fetch: () => new Promise(() => {}) })
    const sent = deaf('https://h/', { signal: controller.signal })
    const reason = new Error('enough')
    controller.abort(reason)
    await expect(sent).rejects.toBe(reason)
  })
})
