import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { createTokenAuth, type TokenAuthOptions } from '@svc/auth-token'
import { primary, service } from './support/service.ts'

const good: TokenAuthOptions = { baseUrl: 'https://search.example.com', credentials: primary }

describe('wrong options', () => {
  test.each<[option: string, change: Record<string, unknown>]>([
    ['baseUrl', { baseUrl: undefined }],
    ['baseUrl', { baseUrl: '' }],
    ['baseUrl', { baseUrl: '/user' }],
    ['baseUrl', { baseUrl: 'ftp://search.example.com' }],
    ['trustRedirects', { trustRedirects: 'yes' }],
    ['baseUrl', { baseUrl: 'https://user:pw@search.example.com' }],
    ['baseUrl', { baseUrl: 'https://search.example.com?a=1' }],
    ['baseUrl', { baseUrl: 'http://search.example.com' }],
    ['baseUrl', { baseUrl: 'http://10.0.0.1' }],
    ['baseUrl', { baseUrl: 'http://127.0.0.1.evil.example' }],
    ['credentials', { credentials: undefined }],
    ['credentials', { credentials: null }],
    ['credentials.username', { credentials: { password: 'x' } }],
    ['credentials.username', { credentials: { username: '', password: 'x' } }],
    ['credentials.password', { credentials: { username: 'x' } }],
    ['credentials.password', { credentials: { username: 'x', password: '' } }],
    ['credentials.parentUid', { credentials: { ...primary, parentUid: '' } }],
    ['origins[0]', { origins: ['search.example.com'] }],
    ['vendorPrefix', { vendorPrefix: '' }],
    ['vendorPrefix', { vendorPrefix: 'a b' }],
    ['vendorPrefix', { vendorPrefix: 'a\r\nb' }],
    ['uniqueSession', { uniqueSession: 'yes' }],
    ['renewBeforeMs', { renewBeforeMs: -1 }],
    ['renewBeforeMs', { renewBeforeMs: Number.NaN }],
    ['loginTimeoutMs', { loginTimeoutMs: 0 }],
    ['loginTimeoutMs', { loginTimeoutMs: Infinity }],
    ['rejectedStatuses', { rejectedStatuses: 401 }],
    ['rejectedStatuses', { rejectedStatuses: ['401'] }],
    ['allowInsecureHttp', { allowInsecureHttp: 1 }],
    ['fetch', { fetch: {} }],
    ['clock', { clock: 0 }],
    ['random', { random: 0.5 }],
    ['waitUntil', { waitUntil: true }],
    ['onEvent', { onEvent: 'log' }],
  ])('are refused at construction, naming %s', (option, change) => {
    const construct = (): unknown => createTokenAuth({ ...good, ...change })
    expect(construct).toThrow(TypeError)
    expect(construct).toThrow(`[@svc/auth-token] createTokenAuth: ${option}`)
  })

  test('are refused with a login of their own, which another function takes', () => {
    const other = { login: () => ({ token: 't' }) }
    const construct = (): unknown => createTokenAuth({ ...good, ...other })
    expect(construct).toThrow(
      /login is not an option; .*; a login of your own is for createSessionAuth$/,
    )
  })

  test.each([undefined, null, 'https://search.example.com'])(
    'are refused at construction where there are none, as %j',
    (options) => {
      // What a caller without types may give.
      const create = (): unknown => createTokenAuth(options as unknown as TokenAuthOptions)
      const message =
        '[@svc/auth-token] createTokenAuth: options must be an object with any of baseUrl,'
      expect(create).toThrow(TypeError)
      expect(create).toThrow(message)
    },
  )

  test.each(['http://localhost:3000', 'http://127.0.0.1', 'http://[::1]:80'])(
    'plain http to %s is none',
    (baseUrl) => {
      expect(createTokenAuth({ ...good, baseUrl }).name).toBe('token')
    },
  )

  test('plain http elsewhere is none where it is allowed', () => {
    const auth = createTokenAuth({ ...good, baseUrl: 'http://10.0.0.1', allowInsecureHttp: true })
    expect(auth.covers(new URL('http://10.0.0.1/user'))).toBe(true)
  })

  test.each([undefined, null, 'x', {}, { username: 'x' }])(
    'credentials of %j from a function are a typed error, and nothing is sent',
    async (given) => {
      const { auth, emulator } = await service({
        // What a function without types may give.
        credentials: () => given as typeof primary,
      })
      await expect(auth.getToken()).rejects.toMatchObject({
        code: 'ERR_AUTH_CREDENTIALS',
        message: expect.stringMatching(/was not sent: credentials(?:\.\w+)? must be /),
      })
      expect(emulator.requests).toEqual([])
    },
  )
})

describe('what is covered', () => {
  test('is the origin of baseUrl and those of origins, no other', () => {
    const auth = createTokenAuth({ ...good, origins: ['https://*.example.org'] })
    const covers = (url: string): boolean => auth.covers(new URL(url))
    expect(covers('https://search.example.com/any')).toBe(true)
    expect(covers('https://a.example.org/')).toBe(true)
    for (const url of [
      'https://example.org/',
      'https://a.b.example.org/',
      'http://search.example.com/',
      'https://search.example.com:8443/',
      'https://search.example.com./',
      'https://search.example.com.evil.example/',
    ]) {
      expect([url, covers(url)]).toEqual([url, false])
    }
  })
})

test('a session shows neither password nor token', async () => {
  const { auth, events } = await service()
  const token = await auth.getToken()
  const shown = [auth, auth.inspect(), events]
    .flatMap((value) => [inspect(value, { showHidden: true, depth: 10 }), JSON.stringify(value)])
    .join('\n')
  expect(shown).not.toContain(token)
  expect(shown).not.toContain(primary.password)
})
