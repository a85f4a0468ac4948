import { AuthError, authFetch, authorizeRequest, kyAuthHooks } from '@svc/auth-hooks'
import { describe, expect, test } from 'vitest'
import { recordingScheme } from '../support/schemes.ts'

const covered = 'https://a.example'

function watched() {
  const scheme = recordingScheme([covered])
  let calls = 0
  const send = authFetch(scheme, {
    fetch: async () => {
      calls += 1
      return new Response()
    },
  })
  return { scheme, send, calls: () => calls }
}

async function rejection(promise: Promise<unknown>): Promise<AuthError> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!AuthError.is(error)) throw new Error('an AuthError was expected', { cause: error })
  return error
}

describe('nothing is sent and nothing authorized', () => {
  test('where the URL is not covered', async () => {
    const { scheme, send, calls } = watched()
    const error = await rejection(send('https://b.example/path?secret=1'))

    expect(error.code).toBe('ERR_AUTH_ORIGIN')
    expect(error.message).toContain('https://b.example/path')
    expect(error.message).not.toContain('secret')
    expect([calls(), scheme.seen.length]).toEqual([0, 0])
  })

  test('where the URL has a user name or a password', async () => {
    const { send, calls } = watched()
    const error = await rejection(send('https://me:hunter2@a.example/'))

    expect(error.code).toBe('ERR_AUTH_URL')
    expect(error.message).not.toMatch(/me:|hunter2/)
    expect(calls()).toBe(0)
  })

  test.each<[name: string, ...Parameters<typeof fetch>]>([
    ['an init', covered, { mode: 'no-cors' }],
    ['a Request', new Request(covered, { mode: 'no-cors' })],
    ['a Request as init', covered, new Request(covered, { mode: 'no-cors' })],
  ])('where the mode would drop the credential: no-cors in %s', async (_name, input, init) => {
    const { scheme, send, calls } = watched()
    const error = await rejection(send(input, init))

    expect(error.code).toBe('ERR_AUTH_HEADER')
    expect(error.message).toContain("mode 'no-cors'")
    expect([calls(), scheme.seen.length]).toEqual([0, 0])
  })

  test('unless an init takes the mode of a Request back', async () => {
    const { send, calls } = watched()
    await send(new Request(covered, { mode: 'no-cors' }), { mode: 'cors' })

    expect(calls()).toBe(1)
  })

  test.each([
    ['a record above Latin-1', { 'x-bad': 'secret ☃' }],
    ['a record with a line break', { 'x-bad': 'secret\r\nx-evil: 1' }],
    ['tuples above Latin-1', [['x-bad', 'secret ☃']] as [string, string][]],
    ['a name that is no token', { 'x-bad name': 'secret' }],
  ])('where a header cannot be sent: %s', async (_name, headers) => {
    const { send, calls } = watched()
    const error = await rejection(send(covered, { headers }))

    expect(error.code).toBe('ERR_AUTH_HEADER')
    expect(error.message).toContain('x-bad')
    expect(error.message).not.toContain('secret')
    expect(calls()).toBe(0)
  })

  test.each([
    ['x-bad', 'secret ☃'],
    ['x-bad\r\n', 'secret'],
  ])('where the scheme gives a header that cannot be sent: %j', async (name, value) => {
    const scheme = recordingScheme([covered], () => ({ headers: [[name, value]] }))
    let calls = 0
    const send = authFetch(scheme, { fetch: async () => ((calls += 1), new Response()) })
    const error = await rejection(send(covered))

    expect(error.code).toBe('ERR_AUTH_HEADER')
    expect(error.message).toContain('x-bad')
    expect(calls).toBe(0)
  })
})

describe('an option that is wrong is a TypeError that names it', () => {
  const options: [string, object][] = [
    ['fetch', { fetch: 1 }],
    ['redirect', { redirect: 'manual' }],
    ['maxRedirects', { maxRedirects: -1 }],
    ['maxReplayBytes', { maxReplayBytes: 1.5 }],
    ['sensitiveHeaders', { sensitiveHeaders: 'x-a' }],
    ['sensitiveHeaders', { sensitiveHeaders: [1] }],
    ['sensitiveHeaders', { sensitiveHeaders: ['*'] }],
    ['sensitiveHeaders', { sensitiveHeaders: ['x-a*'] }],
    ['sensitiveHeaders', { sensitiveHeaders: ['x-*-a'] }],
    ['onEvent', { onEvent: {} }],
  ]
  test.each(options)('%s', (name, wrong) => {
    const build = () => authFetch(recordingScheme([]), wrong)
    expect(build).toThrow(TypeError)
    expect(build).toThrow(name)
  })

  test('scheme', () => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as a caller without types
    expect(() => authFetch({} as never)).toThrow(/^\[@svc\/auth-hooks\] authFetch: scheme must be/)
  })

  test.each([['x-a'], [['x a']], [[1]], [['*']], [['x-*-a-*']]])(
    'sensitiveHeaders of a scheme: %j',
    (sensitiveHeaders) => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as a caller without types
      const scheme = { ...recordingScheme([]), sensitiveHeaders } as never
      expect(() => authFetch(scheme)).toThrow(/scheme\.sensitiveHeaders must be an array/)
    },
  )
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
  expect(() => kyAuthHooks(recordingScheme([]), null as never)).toThrow('options must be')
  expect(() => kyAuthHooks(recordingScheme([]), { fetch: 5 as never })).toThrow('fetch')
})

describe('input that is none is told by the part of the request, and nothing is sent', () => {
  const throwing = {
    toString() {
      throw new Error('a secret')
    },
  }
  test.each<[name: string, input: unknown, init: unknown, error: object]>([
    ['no URL', undefined, {}, { code: 'ERR_AUTH_URL' }],
    ['a URL that is a symbol', Symbol('a secret'), {}, { code: 'ERR_AUTH_URL' }],
    ['a URL that throws', throwing, {}, { code: 'ERR_AUTH_URL' }],
    ['a method with a blank', covered, { method: 'GET /' }, { message: /method must be/ }],
    ['a method that is a number', covered, { method: 5 }, { message: /method must be/ }],
    [
      'a redirect mode that is misspelt',
      covered,
      { redirect: 'manuel' },
      { message: /redirect must be/ },
    ],
    ['a signal that is a number', covered, { signal: 5 }, { message: /signal must be/ }],
    [
      'a signal that is a controller',
      covered,
      { signal: new AbortController() },
      { message: /signal must be/ },
    ],
    ['headers that are text', covered, { headers: 'x-key: a secret' }, { code: 'ERR_AUTH_HEADER' }],
    [
      'headers that are lines',
      covered,
      { headers: ['x-key: a secret'] },
      { code: 'ERR_AUTH_HEADER' },
    ],
    ['a header without a value', covered, { headers: [['x-key']] }, { code: 'ERR_AUTH_HEADER' }],
    [
      'a header that is a symbol',
      covered,
      { headers: { a: Symbol('a secret') } },
      { code: 'ERR_AUTH_HEADER' },
    ],
    ['a header that throws', covered, { headers: { a: throwing } }, { code: 'ERR_AUTH_HEADER' }],
    [
      'a content-length that is none',
      covered,
      { headers: { 'content-length': '-1' } },
      { code: 'ERR_AUTH_BODY' },
    ],
    [
      'a length without a body',
      covered,
      { headers: { 'content-length': '5' } },
      { code: 'ERR_AUTH_BODY' },
    ],
    [
      'a length that is not that of the body',
      covered,
      { method: 'PUT', body: 'text', headers: { 'content-length': '5' } },
      { code: 'ERR_AUTH_BODY' },
    ],
  ])('%s', async (_name, input, init, expected) => {
    const { send, calls } = watched()
    const error: unknown = await send(input as string, init as RequestInit).catch((e: unknown) => e)
    const { message = /./, ...rest } = expected as { message?: RegExp }
    expect(error).toMatchObject(rest)
    expect(error).toBeInstanceOf(Error)
    expect(String(error)).toMatch(message)
    expect(String(error)).toContain('[@svc/auth-hooks]')
    expect(String(error)).not.toContain('a secret')
    expect(calls()).toBe(0)
  })

  const controls = [...Array.from({ length: 32 }, (_, code) => code), 0x7f, 0x100, 0x2603]
  test.each(controls.filter((code) => code !== 0x09))(
    'a header value with the character %i',
    async (code) => {
      const { send, calls } = watched()
      const value = `a${String.fromCodePoint(code)}b`
      await expect(send(covered, { headers: { 'x-own': value } })).rejects.toMatchObject({
        code: 'ERR_AUTH_HEADER',
      })
      expect(calls()).toBe(0)
    },
  )

  test('but a tab and Latin-1 are sent', async () => {
    const { send, calls } = watched()
    await send(covered, { headers: { 'x-own': 'a\tb\u00a0\u00ff' } })
    expect(calls()).toBe(1)
  })
})
