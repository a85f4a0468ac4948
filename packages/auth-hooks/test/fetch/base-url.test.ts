import { AuthError, authFetch, type AuthFetchOptions } from '@svc/auth-hooks'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { recordingScheme } from '../support/schemes.ts'
import { serve } from '../support/server.ts'

/** Sends below a base and gives the path that arrived. */
async function pathOf(basePath: string, input: string): Promise<string | undefined> {
  const server = await serve()
  const scheme = recordingScheme([server.origin])
  const serviceFetch = authFetch(scheme, { baseUrl: `${server.origin}${basePath}` })
  await serviceFetch(input)
  return server.arrived[0]?.path
}

/** A `fetch` that records where it was sent, with its options. */
function recorded(baseUrl: AuthFetchOptions['baseUrl'], origins = ['https://h']) {
  const sent: string[] = []
  const fetch = async (input: unknown): Promise<Response> => {
    sent.push(String(input))
    return new Response()
  }
  return { sent, serviceFetch: authFetch(recordingScheme(origins), { baseUrl, fetch }) }
}

describe('a relative input', () => {
  test.each<[basePath: string, input: string, path: string]>([
    ['', '/user/groups', '/user/groups'],
    ['', 'user/groups', '/user/groups'],
    ['/', '//user/groups', '/user/groups'],
    ['', String.raw`\\user/groups`, '/user/groups'],
    ['', String.raw`/\/user\groups`, '/user/groups'],
    ['/api', '/user/groups', '/api/user/groups'],
    ['/api/', 'user/groups', '/api/user/groups'],
    ['/api', '//evil.example/user', '/api/evil.example/user'],
    ['/api', '/https://evil.example/user', '/api/https://evil.example/user'],
    ['/api', './user', '/api/user'],
    ['/api', 'user/../groups', '/api/groups'],
    ['/api', '', '/api/'],
    ['/api', '/', '/api/'],
    ['/api', '?a=b', '/api/?a=b'],
    ['/api', '#part', '/api/'],
    ['/api', '/user?next=../..#part', '/api/user?next=../..'],
    ['/api', '/user?next=https://evil.example', '/api/user?next=https://evil.example'],
    ['/a%20b', '/c d', '/a%20b/c%20d'],
    ['/api', ' \t/user', '/api/user'],
    ['/api', '/\n/user', '/api/user'],
    ['/api', '/5:30', '/api/5:30'],
    ['/api', '5:30', '/api/5:30'],
    ['/api', 'a_b:c', '/api/a_b:c'],
  ])('below %j: %j goes to %j', async (basePath, input, path) => {
    expect(await pathOf(basePath, input)).toBe(path)
  })

  test.each([
    '..',
    '../user',
    '/../user',
    'user/../../admin',
    '%2e%2e/user',
    String.raw`..\user`,
    'user/..%2f..%2fadmin',
    '.\t./user',
    // Below the base only for a server that folds slashes.
    '..//api/user',
    // As a server reads them that decodes twice, takes a backslash for a slash, or drops parameters.
    '%252e%252e%252fuser',
    '..%5cuser',
    '..;/user',
  ])('that leads out of the base path is refused, and nothing is sent: %j', async (input) => {
    const { sent, serviceFetch } = recorded('https://h/api')
    await expect(serviceFetch(`${input}?secret=1`)).rejects.toMatchObject({
      code: 'ERR_AUTH_URL',
      message: expect.stringMatching(
        /^\[@svc\/auth-hooks\] https:\/\/h\/[^?]* is not below baseUrl, https:\/\/h\/api\/; nothing was sent$/,
      ),
    })
    expect(sent).toEqual([])
  })

  test('never leaves the base, whatever it is', async () => {
    const { sent, serviceFetch } = recorded('https://h/api', ['https://h', 'https://evil.example'])
    const parts = [
      ...Array.from('/\\.?#@: \t\n\0aé'),
      '..',
      '%2e',
      '%2f',
      '%5c',
      '%25',
      ';',
      'api',
      '//evil.example',
    ]
    const part = fc.constantFrom(...parts)
    const inputs = fc.oneof(
      fc.string(),
      fc.array(part).map((chosen) => chosen.join('')),
    )
    await fc.assert(
      fc.asyncProperty(inputs, async (input) => {
        // The parser takes it without a base.
        fc.pre(!URL.canParse(input))
        await serviceFetch(input).catch((error: unknown) => {
          if (!AuthError.is(error) || error.code !== 'ERR_AUTH_URL') throw error
        })
      }),
      { numRuns: 2000 },
    )
    expect(sent.length).toBeGreaterThan(500)
    expect(sent.filter((url) => !`${url}/`.startsWith('https://h/api/'))).toEqual([])
  })
})

describe('an absolute input', () => {
  test.each<[name: string, input: string | URL | Request, url: string]>([
    ['a text with a scheme', 'https://h/other', 'https://h/other'],
    ['a scheme in upper case', 'HTTPS://h/other', 'https://h/other'],
    ['a scheme after a space', ' https://h/other', 'https://h/other'],
    ['a scheme with a line break', 'ht\ntps://h/other', 'https://h/other'],
    ['a URL', new URL('https://h/other'), 'https://h/other'],
  ])('passes as it is: %s', async (_name, input, url) => {
    const { sent, serviceFetch } = recorded('https://h/api')
    await serviceFetch(input)
    expect(sent).toEqual([url])
  })

  test('passes as it is: a Request', async () => {
    const server = await serve()
    const scheme = recordingScheme([server.origin])
    const serviceFetch = authFetch(scheme, { baseUrl: `${server.origin}/api` })
    await serviceFetch(new Request(`${server.origin}/other`))
    expect(server.arrived.map(({ path }) => path)).toEqual(['/other'])
  })

  test('of another origin is not covered, as ever', async () => {
    const { sent, serviceFetch } = recorded('https://h/api')
    await expect(serviceFetch('https://evil.example/user')).rejects.toMatchObject({
      code: 'ERR_AUTH_ORIGIN',
    })
    expect(sent).toEqual([])
  })

  test.each([
    ['localhost:3000/user', 'must be http or https, not localhost:'],
    ['user:groups', 'must be http or https, not user:'],
    ['https:', 'must be valid and absolute'],
    [undefined, 'must be valid and absolute'],
    [null, 'must be valid and absolute'],
    [{}, 'must be valid and absolute'],
    [5, 'must be valid and absolute'],
  ])('that is none is refused: %j', async (input, message) => {
    const { sent, serviceFetch } = recorded('https://h/api')
    await expect(serviceFetch(input as never)).rejects.toMatchObject({
      code: 'ERR_AUTH_URL',
      message: expect.stringContaining(message),
    })
    expect(sent).toEqual([])
  })
})

test('without baseUrl, the message for a relative input names the remedy', async () => {
  const { serviceFetch } = recorded(undefined)
  await expect(serviceFetch('/user/groups?secret=1')).rejects.toMatchObject({
    code: 'ERR_AUTH_URL',
    message:
      "[@svc/auth-hooks] the request URL must be valid and absolute, such as new URL('/user/groups', baseUrl); " +
      'authFetch(auth, { baseUrl }) takes relative ones',
  })
})

test('a stream of a request that leads out of the base is released', async () => {
  const { serviceFetch } = recorded('https://h/api')
  let reason: unknown
  const body = new ReadableStream({
    cancel(cause) {
      reason = cause
    },
  })
  const init: RequestInit & { duplex: 'half' } = { method: 'POST', body, duplex: 'half' }
  await expect(serviceFetch('../user', init)).rejects.toMatchObject({ code: 'ERR_AUTH_URL' })
  expect(reason).toMatchObject({ code: 'ERR_AUTH_URL' })
})

test.each([
  ['a path', '/api'],
  ['no URL', 'search.example.com'],
  ['another protocol', 'ftp://h'],
  ['a query', 'https://h/api?a=1'],
  ['a fragment', 'https://h/api#a'],
  ['a password', 'https://reader:hidden@h/api'],
  ['nothing', ''],
  ['null', null],
])('a baseUrl that is wrong is told at once: %s', (_name, baseUrl) => {
  const build = (): unknown => authFetch(recordingScheme([]), { baseUrl } as AuthFetchOptions)
  expect(build).toThrow(TypeError)
  expect(build).toThrow(/^\[@svc\/auth-hooks\] authFetch: baseUrl must(?!.*hidden)/)
})
