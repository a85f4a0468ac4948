import { describe, expect, test } from 'vitest'
import { authFetch, authorizeRequest, kyAuthHooks } from '../../src/index.ts'
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

describe('an inner fetch that heeds no signal', () => {
  test('holds up no abort', async () => {
    const controller = new AbortController()
    const deaf = authFetch(recordingScheme(['https://h']), { fetch: () => new Promise(() => {}) })
    const answer = deaf('https://h/', { signal: controller.signal })
    const reason = new Error('enough')
    controller.abort(reason)
    await expect(answer).rejects.toBe(reason)
  })
})

describe('headers', () => {
  test('that are repeated and end empty have no blank at their end', async () => {
    const scheme = recordingScheme(['https://h'])
    const fetch = authFetch(scheme, { fetch: async () => new Response() })
    await fetch('https://h/', {
      headers: [
        ['x-a', '1'],
        ['x-a', ''],
      ],
    })
    expect(scheme.seen[0]?.headers.get('x-a')).toBe('1,')
  })

  test('that describe a body go with it where a redirect drops it', async () => {
    const server = await serve(({ count }, response) => {
      response.writeHead(count === 1 ? 303 : 200, { location: '/there' }).end()
    })
    await authFetch(recordingScheme([server.origin]))(`${server.origin}/here`, {
      method: 'POST',
      body: 'text',
      headers: { 'x-amz-content-sha256': 'hash', 'content-md5': 'md5', 'content-digest': 'x' },
    })
    const there = server.arrived[1]?.headers
    expect(there).not.toHaveProperty('x-amz-content-sha256')
    expect(there).not.toHaveProperty('content-md5')
    expect(there).not.toHaveProperty('content-digest')
    expect(there).not.toHaveProperty('content-type')
  })
})

test('a Request given as init goes with the length that plain fetch loses, and can be sent again', async () => {
  const server = await serve(({ count }, response) => {
    response.writeHead(count === 1 ? 401 : 200).end()
  })
  const fetch = authFetch(recordingScheme([server.origin], () => ({ review: rejects401 })))
  const init = new Request(server.origin, { method: 'POST', body: 'of the init' })
  expect((await fetch(`${server.origin}/a`, init)).status).toBe(200)
  expect(
    server.arrived.map(({ body, headers }) => [String(body), headers['content-length']]),
  ).toEqual([
    ['of the init', '11'],
    ['of the init', '11'],
  ])
})

test.each(['blob:https://h/abc', 'data:text/plain,x', 'ftp://h/'])(
  '%s is refused, whatever its origin says',
  async (url) => {
    const fetch = authFetch(recordingScheme(['https://h', 'null', 'ftp://h']))
    await expect(fetch(url)).rejects.toMatchObject({ code: 'ERR_AUTH_URL' })
  },
)

test('what is no scheme, and what are no options, is a TypeError that says so', async () => {
  // What a caller without types may give.
  const none = undefined as never
  expect(() => authFetch(none)).toThrow('scheme')
  expect(() => kyAuthHooks(none)).toThrow('scheme')
  await expect(authorizeRequest(none, 'https://h/')).rejects.toThrow('scheme')
  expect(() => authFetch(recordingScheme([]), null as never)).toThrow('options')
  expect(() => kyAuthHooks(recordingScheme([]), { fetch: 5 as never })).toThrow('fetch')
})

test('an empty body of the init replaces that of the Request, and brings its content type', async () => {
  const server = await serve()
  const scheme = recordingScheme([server.origin])
  const send = authFetch(scheme)
  await send(new Request(server.origin, { method: 'POST', body: 'one' }), { body: '' })
  await send(server.origin, { method: 'POST', body: '' })
  expect(server.arrived.map(({ body }) => String(body))).toEqual(['', ''])
  expect(scheme.seen.map(({ body }) => body?.size)).toEqual([0, 0])
  expect(server.arrived[1]?.headers['content-type']).toBe('text/plain;charset=UTF-8')
})

test('a Request without a body as init leaves that of the Request before it, seen by the scheme', async () => {
  const server = await serve()
  const scheme = recordingScheme([server.origin])
  const first = new Request(server.origin, { method: 'POST', body: 'one' })
  const init = new Request(server.origin, { method: 'POST' })
  await authFetch(scheme)(first, init)
  expect(String(server.arrived[0]?.body)).toBe('one')
  expect(scheme.seen[0]?.body?.size).toBe(3)
})
