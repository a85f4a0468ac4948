import { authFetch } from '@svc/auth-hooks'
import { describe, expect, test } from 'vitest'
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
